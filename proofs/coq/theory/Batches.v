(** * Dominating pairs of samples without replacement

    A mechanism whose pairs of neighbours, under replacing one record, are dominated by (A, B), run on m of n records.
    Proved here, for a mechanism that does not look at the records' order: at every exp(eps) >= 1 its curve is at
      most that
    of the mixture m/n A + (1 - m/n) B against B, and below one that of A against m/n B + (1 - m/n) A (Zhu, Dong and
      Wang
    2022, Proposition 30). *)
From Dpref Require Import Finite Interaction Approximate Dominance Pairs Cells Sampling Replacement.
From Coq Require Import Permutation.

Section Batch.
  Context {X O Y : Type} (l : list O) (M : list X -> O -> R) (m : list Y) (A B : Y -> R).
  Hypotheses (P : mechanism l M) (U : forall s s', Permutation s s' -> forall o, M s o = M s' o).
  Hypotheses (DA : distribution m A) (DB : distribution m B).
  Hypothesis H : forall d d', replace_one d d' -> dominated l (M d) (M d') m A B.
  Lemma one_record s x z y : 0 <= y -> stick l 1 y (M (x :: s)) (M (z :: s)) <= stick m 1 y A B.
  Proof.
    intros Y0. destruct (P (x :: s)) as [N1 S1]. destruct (P (z :: s)) as [N2 S2]. destruct DA, DB.
    apply dominated_stick; auto; try lra. apply H. now exists [], x, z, s.
  Qed.
  (** Sums over the samples with and without the record that differs. *)
  Lemma batch_sums k (c : list X) x x' y : (k <= length c)%nat -> 1 <= y ->
    let q := INR (S k) / (INR (length c) + 1) in let y' := 1 + q * (y - 1) in
    sum_over l (fun o => Rmax 0 (sum_over (samples k c) (fun s => M (x :: s) o) + sum_over (samples (S k) c) (fun s
      => M s o)
      - y' * (sum_over (samples k c) (fun s => M (x' :: s) o) + sum_over (samples (S k) c) (fun s => M s o))))
    <= count k c * stick m 1 y A B.
  Proof.
    intros L Y1 q y'. set (n := INR (length c)). assert (K1 : INR (S k) = INR k + 1) by apply S_INR.
    assert (KN : INR k <= n) by (apply le_INR; lia). pose proof (pos_INR k) as K0.
    assert (Q : q * (n + 1) = INR k + 1) by (unfold q; rewrite K1; unfold n; field; fold n; lra).
    assert (Q0 : 0 <= q) by nra. assert (Y' : 1 <= y') by (unfold y';
      assert (0 <= q * (y - 1)) by (apply Rmult_le_pos; lra); lra).
    set (g := (y - 1) / (n + 1)). assert (G : 0 <= g) by (apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat;
      lra]).
    assert (G1 : y' - 1 = g * (INR k + 1)) by (unfold y', g; rewrite <- Q; field; lra).
    assert (G2 : y - y' = g * (n - INR k)). { replace (y - y') with ((y - 1) - (y' - 1)) by ring. rewrite G1.
    unfold g. field. lra. }
    set (h := stick m 1 y A B). apply (Rmult_le_reg_l y). lra. rewrite <- sum_scal.
    set (D x z s o := M (x :: s) o - y * M (z :: s) o).
    apply Rle_trans with (sum_over l (fun o => y' * sum_over (samples k c) (fun s => Rmax 0 (D x x' s o))
      + g * sum_over (with_rest k c) (fun p => sum_over (snd p) (fun z => Rmax 0 (D x z (fst p) o))))).
    - apply sum_le. intros o _. rewrite <- Rmax_scal by lra.
      assert (UF : unordered (fun s => M s o)) by (intros s s' R; now apply U).
      pose proof (one_more k c (fun s => M s o) UF) as W. rewrite K1 in W.
      set (S1 := sum_over (samples k c) (fun s => M (x :: s) o)).
      set (S1' := sum_over (samples k c) (fun s => M (x' :: s) o)).
      set (S0 := sum_over (samples (S k) c) (fun s => M s o)) in *.
      assert (W1 : (n - INR k) * S1 = sum_over (with_rest k c) (fun p => sum_over (snd p) (fun _ => M (x :: fst p)
        o))).
      { unfold S1. rewrite <- (sum_with_rest k c (fun s => M (x :: s) o)), <- sum_scal. apply sum_ext. intros p I.
        pose proof (rest_length k c p I) as R. unfold n. rewrite <- R, plus_INR.
        replace (INR (length (snd p)) + INR k - INR k) with (INR (length (snd p))) by ring. generalize (snd p).
        intros r.
        induction r as [ | z r IH]; simpl sum_over. simpl; ring. simpl length. rewrite S_INR, <- IH. ring. }
      apply Rle_trans with (Rmax 0 (y' * sum_over (samples k c) (fun s => D x x' s o)
        + g * sum_over (with_rest k c) (fun p => sum_over (snd p) (fun z => D x z (fst p) o)))).
      + right. f_equal. unfold D.
        rewrite (sum_ext (with_rest k c) _ (fun p => sum_over (snd p) (fun _ => M (x :: fst p) o) - y * sum_over (snd
          p) (fun z => M (z :: fst p) o))).
        2: { intros p _. now rewrite sum_minus, sum_scal. }
        rewrite !sum_minus, !sum_scal. fold S1 S1'. rewrite W, <- W1.
        replace (g * ((n - INR k) * S1 - y * ((INR k + 1) * S0))) with ((g * (n - INR k)) * S1 - y * ((g * (INR k +
          1)) * S0)) by ring.
        rewrite <- G1, <- G2. ring.
      + eapply Rle_trans. apply Rmax_plus. rewrite !Rmax_scal by lra.
        apply Rplus_le_compat; apply Rmult_le_compat_l; try lra. apply Rmax_sum.
        eapply Rle_trans. apply Rmax_sum. apply sum_le. intros p _. apply Rmax_sum.
    - rewrite sum_plus, !sum_scal, !(sum_swap l).
      assert (T : forall x z s, sum_over l (fun o => Rmax 0 (D x z s o)) <= h).
      { intros u z s. eapply Rle_trans. 2: apply (one_record s u z y); lra. right. apply sum_ext. intros. unfold D.
        f_equal. ring. }
      apply Rle_trans with (y' * (count k c * h) + g * ((n - INR k) * count k c * h)).
      + apply Rplus_le_compat; apply Rmult_le_compat_l; try lra.
        * unfold count. rewrite <- sum_scal_r. apply sum_le. intros s _. rewrite Rmult_1_l. apply T.
        * unfold count. rewrite <- (sum_with_rest k c (fun _ => 1)), <- sum_scal, <- sum_scal_r. apply sum_le.
          intros p I.
          pose proof (rest_length k c p I) as R. unfold n. rewrite <- R, plus_INR, sum_swap.
          replace ((INR (length (snd p)) + INR k - INR k) * 1 * h) with (INR (length (snd p)) * h) by ring.
          generalize (snd p). intros r.
          induction r as [ | z r IH]; simpl sum_over. simpl; lra. simpl length. rewrite S_INR.
          pose proof (T x z (fst p)). lra.
      + right. replace (g * ((n - INR k) * count k c * h)) with (g * (n - INR k) * (count k c * h)) by ring.
        rewrite <- G2. ring.
  Qed.
  Lemma batch_pair k (c : list X) x x' y' : (k <= length c)%nat -> 1 <= y' ->
    let q := INR (S k) / (INR (length c) + 1) in
    stick l 1 y' (sampled (S k) M (x :: c)) (sampled (S k) M (x' :: c)) <= stick m 1 y' (mix q A B) B.
  Proof.
    intros L Y0 q. set (n := INR (length c)) in *. assert (K1 : INR (S k) = INR k + 1) by apply S_INR.
    assert (KN : INR k <= n) by (apply le_INR; lia). pose proof (pos_INR k) as K0.
    assert (Q : q * (n + 1) = INR k + 1) by (unfold q; rewrite K1; field; lra). assert (Q0 : 0 < q) by nra.
    set (y := 1 + (y' - 1) / q). assert (E : y' = 1 + q * (y - 1)) by (unfold y; field; lra).
    assert (Y1 : 1 <= y). { unfold y. assert (0 <= (y' - 1) / q) by (apply Rmult_le_pos; [lra | left;
      now apply Rinv_0_lt_compat]). lra. }
    pose proof (batch_sums k c x x' y L Y1) as S. cbv zeta in S. fold n in S. fold q in S. rewrite <- E in S.
    pose proof (count_step k c) as C. fold n in C. rewrite K1 in C. pose proof (count_pos k c L) as P0.
    assert (N1 : 0 <= count (Datatypes.S k) c) by (apply sum_nonneg; intros; lra).
    set (N0 := count k c) in *. set (N := N0 + count (Datatypes.S k) c).
    assert (CN : forall z, count (Datatypes.S k) (z :: c) = N). { intros z. unfold count. simpl samples.
    now rewrite sum_app, sum_map. }
    assert (T : q * N = N0).
    { apply (Rmult_eq_reg_r (n + 1)); [ | lra]. replace (q * N * (n + 1)) with (q * (n + 1) * N) by ring. rewrite Q.
      unfold N.
      replace ((INR k + 1) * (N0 + count (Datatypes.S k) c)) with ((INR k + 1) * N0 + (INR k + 1) * count
        (Datatypes.S k) c) by ring.
      rewrite C. ring. }
    rewrite removed_curve. replace (y' - (1 - q)) with (q * y) by (rewrite E; ring).
    replace q with (q * 1) at 1 by ring. rewrite stick_scal by lra. apply (Rmult_le_reg_l N). unfold N; lra.
    replace (N * (q * stick m 1 y A B)) with (N0 * stick m 1 y A B) by (rewrite <- T; ring).
    eapply Rle_trans; [ | apply S]. right. unfold stick. rewrite <- sum_scal. apply sum_ext. intros o _.
    rewrite <- Rmax_scal by (unfold N; lra). f_equal. unfold sampled. rewrite !CN. simpl samples.
    rewrite !sum_app, !sum_map.
    field. unfold N; lra.
  Qed.
End Batch.
(** $H_\varepsilon\le H_\varepsilon\bigl(\frac mnA+(1-\frac mn)B,B\bigr)$ for $\varepsilon\ge0$. *)
Theorem batch_pair_above {X O Y} (l : list O) k n (M : list X -> O -> R) (m : list Y) A B : (0 < k <= n)%nat ->
  mechanism l M ->
  (forall s s', Permutation s s' -> forall o, M s o = M s' o) -> distribution m A -> distribution m B ->
  (forall d d', replace_one d d' -> dominated l (M d) (M d') m A B) ->
  forall d d' eps, replace_one_of n d d' -> 0 <= eps ->
  hockey l eps (sampled k M d) (sampled k M d') <= hockey m eps (mix (INR k / INR n) A B) B.
Proof.
  intros L P U DA DB H d d' eps [N (a & x & x' & b & -> & ->)] E. destruct k as [ | k]. lia.
  rewrite app_length in N. simpl in N. rewrite !hockey_stick.
  assert (PX : forall z, Permutation (a ++ z :: b) (z :: a ++ b)) by (intros;
    apply Permutation_sym, Permutation_middle).
  assert (SP : forall z o, sampled (S k) M (a ++ z :: b) o = sampled (S k) M (z :: a ++ b) o).
  { intros z o. unfold sampled, count.
    rewrite (samples_permutation _ _ (PX z) (S k) (fun s => M s o)), (samples_permutation _ _ (PX z) (S k) (fun _ =>
      1)); auto.
    intros ? ? _; reflexivity. intros s s' R. now apply U. }
  replace (INR n) with (INR (length (a ++ b)) + 1). 2: { rewrite <- S_INR, app_length. f_equal. lia. }
  eapply Rle_trans; [ | apply (batch_pair l M m A B P U DA DB H k (a ++ b) x x' (exp eps))].
  - right. apply sum_ext. intros o _. now rewrite !SP.
  - rewrite app_length. lia.
  - rewrite <- exp_0. now apply exp_mono.
Qed.
(** $H_\varepsilon\le H_\varepsilon\bigl(A,\frac mnB+(1-\frac mn)A\bigr)$ for $\varepsilon\le0$. *)
Theorem batch_pair_below {X O Y} (l : list O) k n (M : list X -> O -> R) (m : list Y) A B : (0 < k <= n)%nat ->
  mechanism l M ->
  (forall s s', Permutation s s' -> forall o, M s o = M s' o) -> distribution m A -> distribution m B ->
  (forall d d', replace_one d d' -> dominated l (M d) (M d') m A B) ->
  forall d d' eps, replace_one_of n d d' -> eps <= 0 ->
  hockey l eps (sampled k M d) (sampled k M d') <= hockey m eps A (mix (INR k / INR n) B A).
Proof.
  intros L P U DA DB H d d' eps N E. pose proof (exp_pos eps) as X0.
  (* the other order: dominated by (B, A) *)
  assert (R1 : forall (Z : Type) (j : list Z) p q e, distribution j p -> distribution j q ->
    hockey j e p q = 1 - exp e + exp e * hockey j (- e) q p).
  { intros Z j p q e [_ Sp] [_ Sq]. rewrite !hockey_stick, stick_reverse, Sp, Sq.
    pose proof (stick_scal j (exp e) 1 (exp (- e)) q p (Rlt_le _ _ (exp_pos e))) as T.
    rewrite Rmult_1_r, <- exp_plus, Rplus_opp_r, exp_0 in T. rewrite T. ring. }
  assert (H' : forall d d', replace_one d d' -> dominated l (M d) (M d') m B A).
  { intros e e' R f. rewrite (R1 _ l), (R1 _ m B A) by (auto; apply P). apply Rplus_le_compat_l.
    apply Rmult_le_compat_l.
    left; apply exp_pos. apply H. destruct R as (a & x & y & b & -> & ->). now exists a, y, x, b. }
  assert (G : 0 <= INR k / INR n <= 1).
  { assert (0 < INR n) by (apply lt_0_INR; lia). assert (INR k <= INR n) by (apply le_INR; lia).
    pose proof (pos_INR k).
    assert (INR k / INR n * INR n = INR k) by (field; lra). split; nra. }
  destruct N as [N R]. assert (LD : length d' = n) by (destruct R as (a & x & y & b & -> & ->);
    rewrite app_length in *; simpl in *; lia).
  rewrite (R1 _ l), (R1 _ m) by (auto; try apply mix_distribution; auto; apply sampled_distribution; auto; lia).
  apply Rplus_le_compat_l, Rmult_le_compat_l. lra. apply (batch_pair_above l k n M m B A); auto; try lra.
  split; auto. destruct R as (a & x & y & b & -> & ->). now exists a, y, x, b.
Qed.
