(** * Sampling without replacement

    A sample of m of n records, all equally likely.
    Proved here: under replacing one record it turns (eps, delta) into
    (ln(1 + m/n (e^eps - 1)), m/n delta), for a mechanism that does not look at the records' order.  A sample with the
    record is compared with the samples in which another record stands in its place. *)
From Dpref Require Import Finite Sampling.
From Coq Require Import Permutation.

(** All samples of m records, and all with the records that are left. *)
Fixpoint samples {X} m (d : list X) : list (list X) :=
  match m, d with 0%nat, _ => [[]] | S _, [] => [] | S k, x :: d => map (cons x) (samples k d) ++ samples m d end.
Fixpoint with_rest {X} m (d : list X) : list (list X * list X) :=
  match m, d with
  | 0%nat, _ => [([], d)]
  | S _, [] => []
  | S k, x :: d => map (fun p => (x :: fst p, snd p)) (with_rest k d) ++ map (fun p => (fst p, x :: snd p))
    (with_rest m d)
  end.
Definition unordered {X} (f : list X -> R) := forall s s', Permutation s s' -> f s = f s'.

Lemma samples_none {X} (d : list X) : samples 0 d = [[]].
Proof. now destruct d. Qed.
Lemma rest_none {X} (d : list X) : with_rest 0 d = [([], d)].
Proof. now destruct d. Qed.
Lemma sum_with_rest {X} m (d : list X) f : sum_over (with_rest m d) (fun p => f (fst p)) = sum_over (samples m d) f.
Proof.
  revert m f. induction d as [ | x d IH]; intros [ | m] f; simpl; auto.
  rewrite !sum_app, !sum_map. simpl. rewrite (IH m (fun s => f (x :: s))). f_equal. apply (IH (S m)).
Qed.
Lemma rest_length {X} m (d : list X) p : In p (with_rest m d) -> (length (snd p) + m = length d)%nat.
Proof.
  revert m p. induction d as [ | x d IH]; intros [ | m] p; simpl; try tauto; try (intros [<- | []]; simpl; lia).
  rewrite in_app_iff, !in_map_iff. intros [(r & <- & I) | (r & <- & I)]; simpl; specialize (IH _ _ I); lia.
Qed.
(** Putting one of the records that are left to a sample of m makes every sample of m + 1, m + 1 times. *)
Theorem one_more {X} m (d : list X) f : unordered f ->
  sum_over (with_rest m d) (fun p => sum_over (snd p) (fun z => f (z :: fst p))) = INR (S m) * sum_over (samples (S
    m) d) f.
Proof.
  revert m f. induction d as [ | x d IH]; intros m f U. destruct m; simpl; ring.
  assert (UX : unordered (fun s => f (x :: s))) by (intros s s' H; apply U; now constructor).
  destruct m as [ | m].
  - specialize (IH 0%nat f U). rewrite rest_none in IH. simpl in *. rewrite sum_app, samples_none. simpl. lra.
  - change (with_rest (S m) (x :: d)) with (map (fun p => (x :: fst p, snd p)) (with_rest m d)
      ++ map (fun p => (fst p, x :: snd p)) (with_rest (S m) d)).
    change (samples (S (S m)) (x :: d)) with (map (cons x) (samples (S m) d) ++ samples (S (S m)) d).
    rewrite !sum_app, !sum_map. simpl fst. simpl snd. simpl sum_over at 3.
    pose proof (IH m _ UX) as I1. pose proof (IH (S m) f U) as I2. rewrite (S_INR (S m)). rewrite (S_INR (S m)) in I2.
    rewrite (sum_ext (with_rest m d) _ (fun p => sum_over (snd p) (fun z => f (x :: z :: fst p)))).
    2: { intros p _. apply sum_ext. intros z _. apply U. constructor. }
    rewrite I1, sum_plus, I2, (sum_with_rest (S m) d (fun s => f (x :: s))). ring.
Qed.
Lemma samples_permutation {X} (d d' : list X) : Permutation d d' -> forall m f, unordered f ->
  sum_over (samples m d) f = sum_over (samples m d') f.
Proof.
  intros H. induction H as [ | x d d' H IH | x y d | d e d' H IH H' IH']; intros m f U; auto.
  - destruct m; simpl; auto. rewrite !sum_app, !sum_map. f_equal; apply IH; auto. intros s s' P. apply U.
    now constructor.
  - destruct m as [ | [ | m]]; simpl; auto. rewrite samples_none; simpl; ring. rewrite !map_app, !sum_app, !sum_map.
    rewrite (sum_ext (samples m d) (fun a => f (y :: x :: a)) (fun a => f (x :: y :: a))). ring.
    intros s _. apply U. constructor.
  - rewrite IH; auto.
Qed.
Definition count {X} m (d : list X) := sum_over (samples m d) (fun _ => 1).
(** m + 1 of the samples of x :: c hold x as often as (m + 1) / n. *)
Lemma count_step {X} m (c : list X) : INR (S m) * count (S m) c = (INR (length c) - INR m) * count m c.
Proof.
  unfold count. rewrite <- (one_more m c (fun _ => 1)) by (intros ? ? _; reflexivity).
  rewrite <- (sum_with_rest m c (fun _ => 1)), <- sum_scal. apply sum_ext. intros p I.
  pose proof (rest_length m c p I) as L.
  rewrite <- L, plus_INR. generalize (snd p). clear. intros r. induction r as [ | z r IH]; simpl sum_over. simpl;
    ring.
  simpl length. rewrite S_INR, IH. ring.
Qed.
Lemma count_pos {X} m (d : list X) : (m <= length d)%nat -> 0 < count m d.
Proof.
  revert m. induction d as [ | x d IH]; intros [ | m] H; unfold count; simpl in *; try lra; try lia.
  rewrite sum_app, sum_map. assert (0 < count m d) by (apply IH; lia). unfold count in *.
  pose proof (sum_nonneg (samples (S m) d) (fun _ => 1) ltac:(intros; lra)). lra.
Qed.

(** The mechanism on a sample of m of the records. *)
Definition sampled {X O} m (M : list X -> O ->
  R) (d : list X) (o : O) := sum_over (samples m d) (fun s => M s o) / count m d.
Theorem sampled_distribution {X O} (l : list O) m (M : list X -> O -> R) d : (m <= length d)%nat -> mechanism l M ->
  distribution l (sampled m M d).
Proof.
  intros H P. pose proof (count_pos m d H) as C. split.
  - intros o. apply Rmult_le_pos. apply sum_nonneg. intros s _. apply P. left; now apply Rinv_0_lt_compat.
  - unfold sampled, Rdiv. rewrite sum_scal_r, sum_swap. rewrite (sum_ext _ _ (fun _ => 1)). fold (count m d). field.
    lra.
    intros s _. apply P.
Qed.
Lemma prob_sampled {X O} (l : list O) m (M : list X -> O -> R) d E :
  prob l (sampled m M d) E = sum_over (samples m d) (fun s => prob l (M s) E) / count m d.
Proof.
  unfold prob, sampled, Rdiv. rewrite sum_swap, <- sum_scal_r. apply sum_ext. intros o _. destruct (E o); auto.
  rewrite sum_zero. ring.
Qed.
(** The inequality between samples of x :: c and of y :: c. *)
Lemma samples_amplified {X} m (c : list X) x y f eps del : (m <= length c)%nat -> unordered f ->
  (forall s, 0 <= f s) ->
  0 <= eps -> 0 <= del -> (forall s z z', f (z :: s) <= exp eps * f (z' :: s) + del) ->
  let q := INR (S m) / (INR (length c) + 1) in
  sum_over (samples (S m) (x :: c)) f / count (S m) (x :: c)
    <= exp (amplified q eps) * (sum_over (samples (S m) (y :: c)) f / count (S m) (y :: c)) + q * del.
Proof.
  intros H U F E D N q. simpl samples. unfold count. simpl samples. rewrite !sum_app, !sum_map.
  fold (count m c) (count (S m) c). set (S1 := sum_over (samples m c) (fun s => f (x :: s))).
  set (S1' := sum_over (samples m c) (fun s => f (y :: s))). set (S0 := sum_over (samples (S m) c) f).
  set (n := INR (length c)). set (k := INR m). assert (K1 : INR (S m) = k + 1) by apply S_INR.
  assert (KN : k <= n) by (apply le_INR; lia). assert (K0 : 0 <= k) by apply pos_INR.
  pose proof (count_step m c) as C. fold n k in C. rewrite K1 in C. pose proof (count_pos m c H) as P0.
  set (N0 := count m c) in *. set (N1 := count (S m) c) in *. assert (Q : q = (k + 1) / (n + 1)) by (unfold q;
    now rewrite K1).
  assert (QB : 0 <= q <= 1).
  { assert (q * (n + 1) = k + 1) by (rewrite Q; field; lra). split; nra. }
  assert (T : q * (N0 + N1) = N0).
  { rewrite Q. apply (Rmult_eq_reg_r (n + 1)); [ | lra]. transitivity ((k + 1) * N0 + (k + 1) * N1). field; lra.
    rewrite C. ring. }
  assert (N1P : 0 <= N1) by (apply sum_nonneg; intros; lra). rewrite amplified_exp by auto.
  pose proof (exp_ineq1_le eps) as E1. set (e := exp eps) in *.
  assert (B1 : S1 <= e * S1' + del * N0).
  { unfold S1, S1', N0, count. rewrite <- !sum_scal, <- sum_plus. apply sum_le. intros s _. rewrite Rmult_1_r.
    apply N. }
  assert (B0 : (n - k) * S1 <= e * ((k + 1) * S0) + del * ((n - k) * N0)).
  { unfold S0. rewrite <- K1, <- (one_more m c f U). unfold S1, N0, count.
    rewrite <- (sum_with_rest m c (fun s => f (x :: s))), <- (sum_with_rest m c (fun _ => 1)), <- !sum_scal, <-
      sum_plus.
    apply sum_le. intros p I. pose proof (rest_length m c p I) as L. unfold n, k. rewrite <- L, plus_INR.
    replace (INR (length (snd p)) + INR m - INR m) with (INR (length (snd p))) by ring. generalize (snd p). clear - N.
    intros r. induction r as [ | z r IH]; simpl sum_over. simpl; lra. simpl length. rewrite S_INR.
    specialize (N (fst p) x z).
    fold e in N. lra. }
  assert (S0P : 0 <= S0) by (apply sum_nonneg; auto). assert (S1P : 0 <= S1') by (apply sum_nonneg; auto).
  enough (S1 + S0 <= (1 + q * (e - 1)) * (S1' + S0) + del * N0) as G.
  { apply (Rmult_le_reg_r (N0 + N1)). lra. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    replace (((1 + q * (e - 1)) * ((S1' + S0) * / (N0 + N1)) + q * del) * (N0 + N1))
      with ((1 + q * (e - 1)) * (S1' + S0) + del * (q * (N0 + N1))) by (field; lra). now rewrite T. }
  set (e' := 1 + q * (e - 1)) in *. assert (E' : 1 <= e') by (unfold e';
    assert (0 <= q * (e - 1)) by (apply Rmult_le_pos; lra); lra).
  assert (EE : e' <= e) by (unfold e'; assert (0 <= (1 - q) * (e - 1)) by (apply Rmult_le_pos; lra); lra).
  (* e S1 = e' S1 + (e - e') S1 *)
  assert (W : (e - e') * S1 <= e * ((e' - 1) * S0) + (e - e') * (del * N0)).
  { assert (EQ : e - e' = (e - 1) / (n + 1) * (n - k)) by (unfold e'; rewrite Q; field; lra).
    assert (EQ' : e' - 1 = (e - 1) / (n + 1) * (k + 1)) by (unfold e'; rewrite Q; field; lra).
    rewrite EQ, EQ'. assert (R0 : 0 <= (e - 1) / (n + 1)) by (apply Rmult_le_pos; [ | left; apply Rinv_0_lt_compat];
      lra).
    apply (Rmult_le_compat_l _ _ _ R0) in B0. lra. }
  apply (Rmult_le_compat_l e') in B1; [ | lra]. apply (Rmult_le_reg_l e). lra. nra.
Qed.
(** Data sets of n records, of which one has another value. *)
Definition replace_one_of {X} n (d d' : list X) := length d = n /\ replace_one d d'.
(** $(\varepsilon,\delta)$-DP on a sample of m of n records is $(\ln(1+\frac mn(e^\varepsilon-1)),\frac
    mn\delta)$-DP. *)
Theorem without_replacement_amplification {X O} (l : list O) m n eps del (M : list X -> O -> R) :
  (0 < m <= n)%nat -> 0 <= eps -> 0 <= del -> mechanism l M -> (forall s s', Permutation s s' ->
    forall o, M s o = M s' o) ->
  DP replace_one l eps del M ->
  DP (replace_one_of n) l (amplified (INR m / INR n) eps) (INR m / INR n * del) (sampled m M).
Proof.
  intros L E D P U H d d' [N (a & x & y & b & -> & ->)] Ev. rewrite !prob_sampled. destruct m as [ | m]. lia.
  set (f s := prob l (M s) Ev). assert (UF : unordered f).
  { intros s s' S. apply sum_ext. intros o _. destruct (Ev o); auto. }
  rewrite app_length in N. simpl in N.
  assert (PX : forall z, Permutation (a ++ z :: b) (z :: a ++ b)) by (intros;
    apply Permutation_sym, Permutation_middle).
  unfold count. rewrite (samples_permutation _ _ (PX x) (S m) f UF), (samples_permutation _ _ (PX y) (S m) f UF).
  rewrite (samples_permutation _ _ (PX x) (S m) (fun _ => 1)), (samples_permutation _ _ (PX y) (S m) (fun _ => 1)) by
    (intros ? ? _; reflexivity).
  fold (count (S m) (x :: a ++ b)) (count (S m) (y :: a ++ b)).
  replace (INR n) with (INR (length (a ++ b)) + 1). 2: { rewrite <- S_INR, app_length. f_equal. lia. }
  apply samples_amplified; auto. rewrite app_length. lia. intros s. apply prob_bounds, P.
  intros s z z'. apply H. now exists [], z, z', s.
Qed.
