(** * Advanced composition

    Adaptive composition of (eps_i, delta_i)-private questions: the heterogeneous form with both of its bounds
      (Kairouz,
    Oh and Viswanath 2015, Theorem 3.5), and from it the homogeneous one (Dwork, Rothblum and Vadhan 2010, Theorem
      III.3).
    Losses with a mean and a variance add (Concentrated.v);
      the deltas are split off by the pair of one guarantee (Pairs.v). *)
From Dpref Require Import Finite Interaction Approximate Dominance Pairs Convexity Renyi Conversion Concentrated.

(** ** Means and variances add, whatever is asked next *)

Fixpoint spends_concentrated {D O} (neighbours : D -> D -> Prop) (l : list O) m v (it : interaction D O) : Prop :=
  match it with
  | stop => 0 <= m /\ 0 <= v
  | ask M next => exists m1 v1, (forall d d', neighbours d d' -> concentrated l m1 v1 (M d) (M d'))
                  /\ forall o, spends_concentrated neighbours l (m - m1) (v - v1) (next o)
  end.
Theorem concentrated_filter {D O} (neighbours : D -> D -> Prop) (l : list O) (it : interaction D O) m v d d' :
  asks_mechanisms l it -> spends_concentrated neighbours l m v it -> neighbours d d' ->
  concentrated (transcripts l it) m v (mass it d) (mass it d').
Proof.
  intros P B N s S. apply interaction_renyi; auto. lra. clear P. revert m v B.
  induction it as [ | M next IH]; intros m v B; simpl in *. nra. destruct B as (m1 & v1 & H & B).
  exists (m1 + s / 2 * v1). split. now apply H. intros o.
  replace (m + s / 2 * v - (m1 + s / 2 * v1)) with ((m - m1) + s / 2 * (v - v1)) by ring. auto.
Qed.

(** ** Pure privacy *)

Definition expected eps := eps * (exp eps - 1) / (exp eps + 1).
Definition total_mean (losses : list (R * R)) := sum_over losses (fun x => expected (fst x)).
Definition total_square (losses : list (R * R)) := sum_over losses (fun x => fst x * fst x).
Lemma expected_nonneg eps : 0 < eps -> 0 <= expected eps.
Proof.
  intros H. pose proof (exp_ineq1_le eps). unfold expected, Rdiv. apply Rmult_le_pos. nra. left;
    apply Rinv_0_lt_compat; lra.
Qed.
Lemma expected_tanh eps : expected eps = eps * tanh (1 / 2 * eps).
Proof. apply mean_loss_tanh. Qed.
Lemma total_mean_tanh losses : total_mean losses = sum_over losses (fun x => fst x * tanh (1 / 2 * fst x)).
Proof. apply sum_ext. intros x _. apply expected_tanh. Qed.
Lemma pure_of_dp {D O} (neighbours : D -> D -> Prop) (l : list O) eps M d d' :
  (forall d d', neighbours d d' -> neighbours d' d) -> DP neighbours l eps 0 M -> neighbours d d' ->
    pure l eps (M d) (M d').
Proof. intros Sy H N o I. split; apply (ratio_of_close l eps); auto. Qed.
Lemma pure_interaction {D O} (neighbours : D -> D -> Prop) (l : list O) losses (it : interaction D O) :
  (forall d d', neighbours d d' -> neighbours d' d) -> (forall x, In x losses -> 0 < fst x /\ snd x = 0) ->
  asks_mechanisms l it -> asks_dp neighbours l losses it ->
  spends_concentrated neighbours l (total_mean losses) (total_square losses) it.
Proof.
  intros Sy. revert losses. induction it as [ | M next IH]; intros losses L P B; simpl.
  - split; apply sum_nonneg; intros x I; destruct (L x I). now apply expected_nonneg. nra.
  - destruct losses as [ | [e x] losses]. easy. destruct P as [PM P]. destruct B as [H B].
    destruct (L (e, x) (or_introl eq_refl)) as [E X]. simpl in E, X. subst x. exists (expected e), (e * e). split.
    + intros d d' N. apply pure_concentrated; auto. now apply (pure_of_dp neighbours).
    + intros o. unfold total_mean, total_square. simpl.
      replace (expected e + sum_over losses (fun x => expected (fst x)) - expected e) with (total_mean losses) by
        (unfold total_mean; ring).
      replace (e * e + sum_over losses (fun x => fst x * fst x) - e * e) with (total_square losses) by (unfold
        total_square; ring).
      apply IH; auto. intros y I. apply L. now right.
Qed.
Lemma pure_heterogeneous {D O} (neighbours : D -> D -> Prop) (l : list O) losses (it : interaction D O) t :
  (forall d d', neighbours d d' -> neighbours d' d) -> (forall x, In x losses -> 0 < fst x /\ snd x = 0) ->
  0 < total_square losses -> 0 < t -> asks_mechanisms l it -> asks_dp neighbours l losses it ->
  DP neighbours (transcripts l it) (total_mean losses + t)
     (exp (- (t * t) / (2 * total_square losses)) * / (1 + t / total_square losses)) (mass it).
Proof.
  intros Sy L V T P B d d' N. pose proof (transcripts_mechanism l it P) as Q.
  apply concentrated_to_dp; auto; try apply Q. apply (concentrated_filter neighbours); auto.
  now apply pure_interaction.
Qed.

(** ** Splitting the deltas off *)

Definition no_failure (losses : list (R * R)) := fold_right (fun x r => (1 - snd x) * r) 1 losses.
Definition without_delta (losses : list (R * R)) := map (fun x : R * R => (fst x, 0)) losses.
Lemma no_failure_bounds losses : (forall x, In x losses -> 0 <= fst x /\ 0 <= snd x <= 1) ->
  0 <= no_failure losses <= 1.
Proof.
  induction losses as [ | x losses IH]; intros L; simpl. lra. destruct (L x (or_introl eq_refl)).
  specialize (IH (fun y I => L y (or_intror I))). split. apply Rmult_le_pos; lra. nra.
Qed.
Definition product_stick losses x y := stick (product_outcomes (guarantee_pairs losses)) x y
  (product_mass first (guarantee_pairs losses)) (product_mass second (guarantee_pairs losses)).
Lemma product_stick_cons e del losses x y : product_stick ((e, del) :: losses) x y
  = sum_over guarantee_outcomes (fun o => product_stick losses (x * guarantee_first e del o) (y * guarantee_second e
    del o)).
Proof.
  unfold product_stick at 1, stick. change (product_outcomes (guarantee_pairs ((e, del) :: losses)))
    with (joined cons guarantee_outcomes (fun _ => product_outcomes (guarantee_pairs losses))).
  rewrite sum_joined. apply sum_ext. intros o _. apply sum_ext. intros t _. simpl. f_equal. ring.
Qed.
Lemma product_stick_nonneg losses x y : 0 <= product_stick losses x y.
Proof. apply sum_nonneg. intros. apply Rmax_l. Qed.
Lemma pairs_nonneg losses : (forall x, In x losses -> 0 <= fst x /\ 0 <= snd x <= 1) ->
  nonneg (product_mass first (guarantee_pairs losses)) /\ nonneg (product_mass second (guarantee_pairs losses))
  /\ sum_over (product_outcomes (guarantee_pairs losses)) (product_mass first (guarantee_pairs losses)) = 1.
Proof.
  intros L. repeat split; try (apply product_nonneg; intros m I; apply in_map_iff in I; destruct I as (x & <- & I);
    destruct (L x I) as [_ D0]; destruct (guarantee_distribution (fst x) (snd x) D0) as [[A _] [B _]]; auto).
  induction losses as [ | [e x] losses IH]. simpl. lra.
  change (product_outcomes (guarantee_pairs ((e, x) :: losses)))
    with (joined cons guarantee_outcomes (fun _ => product_outcomes (guarantee_pairs losses))).
  rewrite sum_joined, (sum_ext _ _ (guarantee_first e x)). destruct (L (e, x) (or_introl eq_refl)) as [_ H].
  apply (guarantee_distribution e x H).
  intros o _. simpl. rewrite sum_scal. fold (guarantee_pairs losses). rewrite IH. ring. intros y I. apply L.
  now right.
Qed.
Theorem split_deltas losses : (forall x, In x losses -> 0 <= fst x /\ 0 <= snd x <= 1) -> forall x y, 0 <= x ->
  0 <= y ->
  product_stick losses x y <= x * (1 - no_failure losses) + no_failure losses * product_stick (without_delta losses)
    x y.
Proof.
  induction losses as [ | [e del] losses IH]; intros L x y X Y. simpl. lra.
  destruct (L (e, del) (or_introl eq_refl)) as [E [D0 D1]]. simpl in E, D0, D1.
  assert (L' : forall x, In x losses -> 0 <= fst x /\ 0 <= snd x <= 1) by (intros z I; apply L; now right).
  specialize (IH L'). pose proof (no_failure_bounds losses L') as B.
  simpl without_delta. fold (without_delta losses). rewrite !product_stick_cons. simpl sum_over.
  change (no_failure ((e, del) :: losses)) with ((1 - del) * no_failure losses).
  set (r := / (exp e + 1)). assert (R0 : 0 < r) by (apply Rinv_0_lt_compat; pose proof (exp_pos e); lra).
  assert (RE : r * exp e + r = 1) by (unfold r; pose proof (exp_pos e); field; lra). pose proof (exp_pos e) as PE.
  set (n := no_failure losses) in *. set (S := product_stick (without_delta losses)) in *.
  assert (SC : forall c u v, 0 <= c -> S (c * u) (c * v) = c * S u v) by (intros; now apply stick_scal).
  assert (S0 : forall u v, 0 <= S u v) by (intros; apply product_stick_nonneg).
  (* the four outcomes *)
  assert (T0 : product_stick losses (x * del) (y * 0) <= x * del).
  { destruct (pairs_nonneg losses L') as (N1 & N2 & T). unfold product_stick. rewrite Rmult_0_r.
    rewrite stick_first, T by (auto; apply Rmult_le_pos; lra). lra. }
  assert (T3 : product_stick losses (x * 0) (y * del) <= 0).
  { destruct (pairs_nonneg losses L') as (N1 & N2 & T). unfold product_stick. rewrite Rmult_0_r.
    rewrite stick_second by (auto; apply Rmult_le_pos; lra). lra. }
  pose proof (IH (x * ((1 - del) * exp e / (exp e + 1))) (y * ((1 - del) / (exp e + 1)))) as T1.
  pose proof (IH (x * ((1 - del) / (exp e + 1))) (y * ((1 - del) * exp e / (exp e + 1)))) as T2.
  destruct (share_bounds e del (conj D0 D1)) as [B1 B2].
  specialize (T1 ltac:(apply Rmult_le_pos; auto) ltac:(apply Rmult_le_pos; auto)).
  specialize (T2 ltac:(apply Rmult_le_pos; auto) ltac:(apply Rmult_le_pos; auto)).
  replace ((1 - del) * exp e / (exp e + 1)) with ((1 - del) * (exp e * r)) in * by (unfold r; field; lra).
  replace ((1 - del) / (exp e + 1)) with ((1 - del) * r) in * by (unfold r; field; lra).
  replace ((1 - 0) * exp e / (exp e + 1)) with (exp e * r) by (unfold r; field; lra).
  replace ((1 - 0) / (exp e + 1)) with r by (unfold r; field; lra).
  replace (x * ((1 - del) * (exp e * r))) with ((1 - del) * (x * (exp e * r))) in * by ring.
  replace (x * ((1 - del) * r)) with ((1 - del) * (x * r)) in * by ring.
  replace (y * ((1 - del) * (exp e * r))) with ((1 - del) * (y * (exp e * r))) in * by ring.
  replace (y * ((1 - del) * r)) with ((1 - del) * (y * r)) in * by ring.
  rewrite SC in T1, T2 by lra.
  pose proof (S0 (x * 0) (y * 0)). pose proof (S0 (x * 0) (y * 0)).
  assert (0 <= (1 - del) * n) by (apply Rmult_le_pos; lra).
  apply Rle_trans with (x * del + ((1 - del) * (x * (exp e * r)) * (1 - n) + n * ((1 - del) * S (x * (exp e * r)) (y
    * r))
    + ((1 - del) * (x * r) * (1 - n) + n * ((1 - del) * S (x * r) (y * (exp e * r)))))). lra.
  apply Rle_trans with (x * (1 - (1 - del) * n) + (1 - del) * n * (S (x * (exp e * r)) (y * r) + S (x * r) (y * (exp
    e * r)))).
  { right. replace (x * (1 - (1 - del) * n)) with (x * del + (1 - del) * (x * (r * exp e + r)) * (1 - n)) by (rewrite
      RE; ring). ring. }
  apply Rplus_le_compat_l. apply Rmult_le_compat_l; auto. lra.
Qed.

(** ** The heterogeneous form *)

Theorem heterogeneous_composition {D O} (neighbours : D -> D -> Prop) (l : list O) losses (it : interaction D O) t :
  (forall d d', neighbours d d' -> neighbours d' d) -> (forall x, In x losses -> 0 < fst x /\ 0 <= snd x <= 1) ->
  0 < total_square losses -> 0 < t -> asks_mechanisms l it -> asks_dp neighbours l losses it ->
  let slack := exp (- (t * t) / (2 * total_square losses)) * / (1 + t / total_square losses) in
  DP neighbours (transcripts l it) (total_mean losses + t) (1 - (1 - slack) * no_failure losses) (mass it).
Proof.
  intros Sy L V T P B slack d d' N.
  assert (L' : forall x, In x losses -> 0 <= fst x /\ 0 <= snd x <= 1) by (intros x I; destruct (L x I); split; lra).
  assert (LW : forall x, In x (without_delta losses) -> 0 < fst x /\ snd x = 0).
  { intros x I. apply in_map_iff in I. destruct I as (z & <- & I). simpl. destruct (L z I). auto. }
  assert (SW : total_square (without_delta losses) = total_square losses /\ total_mean (without_delta losses) =
    total_mean losses).
  { unfold total_square, total_mean, without_delta. rewrite !sum_map. auto. }
  destruct SW as [SW MW]. pose proof (no_failure_bounds losses L') as F.
  assert (LW' : forall x, In x (without_delta losses) -> 0 <= fst x /\ 0 <= snd x <= 1) by (intros x I;
    destruct (LW x I); lra).
  assert (HP : product_stick (without_delta losses) 1 (exp (total_mean losses + t)) <= slack).
  { unfold product_stick. rewrite <- hockey_stick. destruct (optimal_composition_is_attained _ LW') as (Q1 & Q2 & Q3).
    change (optimal_delta (without_delta losses) (total_mean losses + t) <= slack). rewrite <- Q3.
    apply hockey_is_delta. unfold slack. rewrite <- SW, <- MW.
    apply (pure_heterogeneous (fun d d' : bool => d <> d')); auto. rewrite SW. auto. }
  apply close_weaken with (total_mean losses + t) (optimal_delta losses (total_mean losses + t)); try lra.
  - now apply (mass_nonneg l).
  - unfold optimal_delta. rewrite hockey_stick. eapply Rle_trans. apply split_deltas; auto. lra. left; apply exp_pos.
    nra.
  - apply (optimal_composition neighbours); auto.
Qed.
(** $\sum_i\varepsilon_i\frac{e^{\varepsilon_i}-1}{e^{\varepsilon_i}+1}+\sqrt{2L\sum_i\varepsilon_i^2}$ at
    $\delta=1-(1-e^{-L})\prod_i(1-\delta_i)$: the last bound of Theorem 3.5. *)
Theorem heterogeneous_last {D O} (neighbours : D -> D -> Prop) (l : list O) losses (it : interaction D O) L :
  (forall d d', neighbours d d' -> neighbours d' d) -> (forall x, In x losses -> 0 < fst x /\ 0 <= snd x <= 1) ->
  0 < total_square losses -> 0 < L -> asks_mechanisms l it -> asks_dp neighbours l losses it ->
  DP neighbours (transcripts l it) (total_mean losses + sqrt (2 * total_square losses * L))
     (1 - (1 - exp (- L)) * no_failure losses) (mass it).
Proof.
  intros Sy Lo V L0 P B d d' N. set (t := sqrt (2 * total_square losses * L)).
  assert (T : 0 < t) by (apply sqrt_lt_R0; repeat apply Rmult_lt_0_compat; lra).
  assert (TT : t * t = 2 * total_square losses * L) by (apply sqrt_sqrt; repeat apply Rmult_le_pos; lra).
  eapply close_weaken; [ | apply Rle_refl | | apply (heterogeneous_composition neighbours l losses it t); auto].
  now apply (mass_nonneg l). rewrite TT.
  replace (- (2 * total_square losses * L) / (2 * total_square losses)) with (- L) by (field; lra).
  assert (F : 0 <= no_failure losses <= 1) by (apply no_failure_bounds; intros x I; destruct (Lo x I); split; lra).
  assert (/ (1 + t / total_square losses) <= 1).
  { rewrite <- Rinv_1 at 2. apply Rinv_le_contravar. lra. pose proof (Rdiv_lt_0_compat _ _ T V). lra. }
  pose proof (exp_pos (- L)). assert (exp (- L) * / (1 + t / total_square losses) <= exp (- L) * 1) by (apply
    Rmult_le_compat_l; lra).
  nra.
Qed.
(** The middle bound of Theorem 3.5: $L=\ln\bigl(e+\sqrt{\sum_i\varepsilon_i^2}/\delta'\bigr)$ at $\delta'$. *)
Theorem heterogeneous_middle {D O} (neighbours : D -> D -> Prop) (l : list O) losses (it : interaction D O) slack :
  (forall d d', neighbours d d' -> neighbours d' d) -> (forall x, In x losses -> 0 < fst x /\ 0 <= snd x <= 1) ->
  0 < total_square losses -> 0 < slack -> asks_mechanisms l it -> asks_dp neighbours l losses it ->
  DP neighbours (transcripts l it)
     (total_mean losses + sqrt (2 * ln (exp 1 + sqrt (total_square losses) / slack) * total_square losses))
     (1 - (1 - slack) * no_failure losses) (mass it).
Proof.
  intros Sy Lo V S0 P B d d' N. set (v := total_square losses) in *. pose proof (sqrt_lt_R0 v V) as R0.
  pose proof (sqrt_sqrt v (Rlt_le _ _ V)) as RR. set (r := sqrt v) in *. set (w := exp 1 + r / slack).
  assert (W : exp 1 < w) by (unfold w; pose proof (Rdiv_lt_0_compat _ _ R0 S0); lra). pose proof (exp_pos 1) as E1.
  assert (L1 : 1 < ln w). { rewrite <- (ln_exp 1). apply ln_increasing; lra. }
  set (t := sqrt (2 * ln w * v)). assert (T : 0 < t) by (apply sqrt_lt_R0; repeat apply Rmult_lt_0_compat; lra).
  assert (TT : t * t = 2 * ln w * v) by (apply sqrt_sqrt; repeat apply Rmult_le_pos; lra).
  eapply close_weaken; [ | apply Rle_refl | | apply (heterogeneous_composition neighbours l losses it t); auto].
  now apply (mass_nonneg l). fold v. rewrite TT. replace (- (2 * ln w * v) / (2 * v)) with (- ln w) by (field; lra).
  rewrite exp_Ropp, exp_ln by lra.
  assert (F : 0 <= no_failure losses <= 1) by (apply no_failure_bounds; intros x I; destruct (Lo x I); split; lra).
  enough (/ w * / (1 + t / v) <= slack) by nra.
  (* t >= r, so that w (1 + t / v) >= (r / slack) (r / v) = 1 / slack *)
  assert (TR : r <= t) by (apply Rsqr_incr_0_var; unfold Rsqr; nra).
  assert (K : / slack <= w * (1 + t / v)).
  { apply Rle_trans with (r / slack * (r / v)). right.
    replace (r / slack * (r / v)) with (r * r / (slack * v)) by (field; lra).
    rewrite RR. field. lra. apply Rmult_le_compat. left; apply Rdiv_lt_0_compat; lra. left; apply Rdiv_lt_0_compat;
      lra.
    unfold w; lra. apply Rle_trans with (t / v). apply Rmult_le_compat_r; auto. left; apply Rinv_0_lt_compat; lra.
    lra. }
  rewrite <- Rinv_mult. rewrite <- (Rinv_inv slack). apply Rinv_le_contravar; auto. now apply Rinv_0_lt_compat.
Qed.

(** ** The homogeneous form *)

Lemma sum_repeat {A} (a : A) k f : sum_over (repeat a k) f = INR k * f a.
Proof. induction k as [ | k IH]. simpl; ring. rewrite S_INR. simpl. rewrite IH. ring. Qed.
Lemma asks_repeat {D O} (neighbours : D -> D -> Prop) (l : list O) eps del k (it : interaction D O) :
  at_most k it -> every (DP neighbours l eps del) it -> asks_dp neighbours l (repeat (eps, del) k) it.
Proof.
  revert k. induction it as [ | M next IH]; intros [ | k] K V; simpl in *; auto.
  destruct V as [H V]. split. exact H. intros o. apply IH. apply K. apply V.
Qed.
Lemma union_bound eps del slack k : 0 <= del <= 1 -> 0 <= slack <= 1 ->
  1 - (1 - slack) * no_failure (repeat (eps, del) k) <= INR k * del + slack.
Proof.
  intros D S. induction k as [ | k IH]. simpl. lra. rewrite S_INR. simpl.
  assert (F : 0 <= no_failure (repeat (eps, del) k) <= 1).
  { clear IH. induction k; simpl. lra. split. apply Rmult_le_pos; lra. nra. }
  set (n := no_failure (repeat (eps, del) k)) in *. assert (0 <= (1 - slack) * n <= 1) by (split;
    [apply Rmult_le_pos | ]; nra). nra.
Qed.
(** $\varepsilon\sqrt{2kL}+k\varepsilon(e^\varepsilon-1)$ at $k\delta+e^{-L}$ (Dwork, Rothblum and Vadhan 2010,
    Theorem III.3). *)
Theorem advanced_composition {D O} (neighbours : D -> D -> Prop) (l : list O) eps del k (it : interaction D O) L :
  (forall d d', neighbours d d' -> neighbours d' d) -> 0 < eps -> 0 <= del <= 1 -> 0 < L -> (0 < k)%nat ->
  asks_mechanisms l it -> at_most k it -> every (DP neighbours l eps del) it ->
  DP neighbours (transcripts l it) (eps * sqrt (2 * INR k * L) + INR k * eps * (exp eps - 1)) (INR k * del + exp (-
    L)) (mass it).
Proof.
  intros Sy E X L0 K P A V d d' N. pose proof (lt_0_INR k K) as K0. pose proof (exp_ineq1_le eps) as E1.
  assert (SQ : total_square (repeat (eps, del) k) = INR k * (eps * eps)) by apply (sum_repeat (eps, del) k).
  assert (MN : total_mean (repeat (eps, del) k) = INR k * expected eps) by apply (sum_repeat (eps, del) k).
  assert (IN : forall x, In x (repeat (eps, del) k) -> x = (eps, del)) by (intros x I; now apply repeat_spec in I).
  pose proof (heterogeneous_last neighbours l (repeat (eps, del) k) it L Sy) as H. rewrite SQ, MN in H.
  eapply close_weaken; [ | | | apply H]; auto.
  - now apply (mass_nonneg l).
  - replace (2 * (INR k * (eps * eps)) * L) with ((eps * eps) * (2 * INR k * L)) by ring.
    rewrite sqrt_mult, sqrt_square by (try lra; repeat apply Rmult_le_pos; lra).
    enough (expected eps <= eps * (exp eps - 1)) by nra. unfold expected, Rdiv.
    rewrite <- (Rmult_1_r (eps * (exp eps - 1))) at 2. apply Rmult_le_compat_l. nra.
    rewrite <- Rinv_1. apply Rinv_le_contravar; lra.
  - apply union_bound; auto. pose proof (exp_pos (- L)). split. lra. rewrite <- exp_0. apply exp_mono. lra.
  - intros x I. rewrite (IN x I). simpl. lra.
  - repeat apply Rmult_lt_0_compat; auto.
  - now apply asks_repeat.
Qed.
