(* The Laplace mechanism: its density integrates to one, noise of scale Delta / eps is (eps, 0)-DP and no smaller eps
   will do, and the exact curve delta(eps) = 1 - e^((eps - shift / b) / 2) for |eps| < shift / b. *)
From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From Dpref Require Import Improper Density Erfc Gaussian GaussianCurve.
Open Scope R_scope.

Definition laplace (mu b x : R) : R := exp (- (Rabs (x - mu) / b)) / (2 * b).
Definition laplace_mechanism {D} (f : D -> R) (b : R) (d : D) : R -> R := laplace (f d) b.
Definition laplace_delta (eps shift : R) : R := 1 - exp ((eps - shift) / 2).

(* ---------- the density ---------- *)
Lemma laplace_positive mu b x : 0 < b -> 0 < laplace mu b x.
Proof. intros B. apply Rdiv_lt_0_compat. apply exp_pos. lra. Qed.
Lemma laplace_reflect mu b x : laplace mu b (- x) = laplace (- mu) b x.
Proof. unfold laplace. rewrite <- (Rabs_Ropp (- x - mu)). do 5 f_equal. ring. Qed.
Lemma continuous_laplace mu b x : 0 < b -> continuous (laplace mu b) x.
Proof.
  intros B. apply (continuous_comp (fun x => Rabs (x - mu)) (fun y => exp (- (y / b)) / (2 * b))).
  apply (continuous_comp (fun x => x - mu) Rabs). apply (ex_derive_continuous (fun x => x - mu)). auto_derive. auto.
  apply continuous_Rabs. apply (ex_derive_continuous (fun y => exp (- (y / b)) / (2 * b))). auto_derive. auto.
Qed.
Lemma integrable_laplace mu b : 0 < b -> integrable_on_intervals (laplace mu b).
Proof.
  intros B x y. apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros. now apply continuous_laplace.
Qed.
Lemma exponential_vanishes mu b : 0 < b ->
  filterlim (fun x => - (exp (- ((x - mu) / b)) / 2)) plus_infinity (locally 0).
Proof.
  intros B. apply (is_lim_le_le_loc (fun x => - (b / (x - mu) / 2)) (fun _ => 0) _ p_infty 0).
  - exists mu. intros x h. pose proof (exp_pos (- ((x - mu) / b))) as E. split. 2: lra.
    assert (P : 0 < (x - mu) / b) by (apply Rdiv_lt_0_compat; lra).
    assert (L : exp (- ((x - mu) / b)) <= b / (x - mu)). 2: lra.
    rewrite exp_Ropp. replace (b / (x - mu)) with (/ ((x - mu) / b)) by (field; lra).
    apply Rinv_le_contravar; auto. pose proof (exp_ineq1_le ((x - mu) / b)). lra.
  - assert (L : is_lim (fun x => / (x - mu)) p_infty 0).
    { replace (Finite 0) with (Rbar_inv p_infty) by reflexivity. apply is_lim_inv. 2: easy.
      apply (is_lim_minus (fun x => x) (fun _ => mu) p_infty p_infty mu). apply is_lim_id. apply is_lim_const. easy. }
    pose proof (is_lim_scal_l _ (- (b / 2)) p_infty 0 L) as K. simpl in K. rewrite Rmult_0_r in K.
    revert K. apply is_lim_ext. intros x. unfold Rdiv. ring.
  - apply is_lim_const.
Qed.
Theorem laplace_above mu b t : 0 < b -> mu <= t -> integral_above t (laplace mu b) (exp (- ((t - mu) / b)) / 2).
Proof.
  intros B T. apply (integral_above_ext t (fun x => exp (- ((x - mu) / b)) / (2 * b))).
  intros x h. unfold laplace. rewrite Rabs_pos_eq; lra.
  replace (exp (- ((t - mu) / b)) / 2) with (0 - - (exp (- ((t - mu) / b)) / 2)) by ring.
  apply (integral_above_antiderivative (fun x => - (exp (- ((x - mu) / b)) / 2))).
  - intros x. auto_derive. auto. unfold Rminus, Rdiv. field. lra.
  - intros x. apply (ex_derive_continuous (fun x => exp (- ((x - mu) / b)) / (2 * b))). auto_derive. auto.
  - now apply exponential_vanishes.
Qed.
Lemma laplace_between mu b t : 0 < b -> t <= mu -> is_RInt (laplace mu b) t mu (1 / 2 - exp ((t - mu) / b) / 2).
Proof.
  intros B T. apply (is_RInt_ext (fun x => exp ((x - mu) / b) / (2 * b))).
  { intros x h. rewrite Rmin_left, Rmax_right in h by auto. unfold laplace. rewrite Rabs_left by lra.
    do 2 f_equal. field. lra. }
  replace (1 / 2 - exp ((t - mu) / b) / 2) with (minus (exp ((mu - mu) / b) / 2) (exp ((t - mu) / b) / 2)).
  apply (is_RInt_derive (V := R_CompleteNormedModule) (fun x => exp ((x - mu) / b) / 2)).
  - intros x _. auto_derive. auto. unfold Rminus, Rdiv. field. lra.
  - intros x _. apply (ex_derive_continuous (fun x => exp ((x - mu) / b) / (2 * b))). auto_derive. auto.
  - replace ((mu - mu) / b) with 0 by (field; lra). rewrite exp_0. reflexivity.
Qed.
Theorem laplace_above_left mu b t : 0 < b -> t <= mu -> integral_above t (laplace mu b) (1 - exp ((t - mu) / b) / 2).
Proof.
  intros B T. pose proof (laplace_above mu b mu B (Rle_refl _)) as H.
  replace (- ((mu - mu) / b)) with 0 in H by (field; lra). rewrite exp_0 in H.
  replace (1 - exp ((t - mu) / b) / 2) with (1 / 2 - exp ((t - mu) / b) / 2 + 1 / 2) by field.
  apply integral_above_split with mu; auto. now apply laplace_between.
Qed.
Theorem laplace_below mu b t : 0 < b -> t <= mu -> integral_below t (laplace mu b) (exp ((t - mu) / b) / 2).
Proof.
  intros B T. pose proof (laplace_above (- mu) b (- t) B ltac:(lra)) as H. apply integral_above_reflect in H.
  rewrite Ropp_involutive in H.
  replace (- ((- t - - mu) / b)) with ((t - mu) / b) in H by (field; lra). revert H.
  apply integral_below_ext. intros x _. now rewrite laplace_reflect, Ropp_involutive.
Qed.
Theorem laplace_integral mu b : 0 < b -> integral (laplace mu b) 1.
Proof.
  intros B. pose proof (laplace_above mu b mu B (Rle_refl _)) as H.
  pose proof (laplace_below mu b mu B (Rle_refl _)) as L.
  replace (- ((mu - mu) / b)) with 0 in H by (field; lra). replace ((mu - mu) / b) with 0 in L by (field; lra).
  rewrite exp_0 in H, L. replace 1 with (1 / 2 + 1 / 2) by field. exact (integral_split _ mu _ _ L H).
Qed.
Theorem laplace_density mu b : 0 < b -> density (laplace mu b).
Proof.
  intros B. split; [ | split]. intros x. left. now apply laplace_positive. now apply integrable_laplace.
  now apply laplace_integral.
Qed.

(* ---------- pure privacy ---------- *)
Lemma laplace_ratio mu nu b x : 0 < b -> laplace mu b x <= exp (Rabs (mu - nu) / b) * laplace nu b x.
Proof.
  intros B. unfold laplace, Rdiv at 1 4. rewrite <- Rmult_assoc, <- exp_plus. apply Rmult_le_compat_r.
  left. apply Rinv_0_lt_compat. lra. apply exp_le.
  pose proof (Rabs_triang (x - mu) (mu - nu)) as T. replace (x - mu + (mu - nu)) with (x - nu) in T by ring.
  replace (Rabs (mu - nu) / b + - (Rabs (x - nu) / b)) with (- (Rabs (x - nu) - Rabs (mu - nu)) / b) by (field; lra).
  replace (- (Rabs (x - mu) / b)) with (- Rabs (x - mu) / b) by (field; lra).
  apply Rmult_le_compat_r. left. now apply Rinv_0_lt_compat. lra.
Qed.
Theorem laplace_DP {D} (adj : D -> D -> Prop) f Delta eps : 0 < Delta -> 0 < eps -> sensitivity adj f Delta ->
  line_DP adj eps 0 (laplace_mechanism f (Delta / eps)).
Proof.
  intros P E L d d' A. assert (B : 0 < Delta / eps) by now apply Rdiv_lt_0_compat.
  apply ratio_bounds_epsilon. intros x. eapply Rle_trans. now apply (laplace_ratio (f d) (f d')).
  apply Rmult_le_compat_r. left. now apply laplace_positive. apply exp_le.
  apply (Rmult_le_reg_r (Delta / eps)); auto. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  replace (eps * (Delta / eps)) with Delta by (field; lra). now apply L.
Qed.

(* ---------- the curve ---------- *)
Lemma laplace_loss_edge eps mu nu b x : 0 < b -> nu < mu -> - ((mu - nu) / b) <= eps < (mu - nu) / b ->
  loss_above eps (laplace mu b) (laplace nu b) x = beyond ((mu + nu + b * eps) / 2) x.
Proof.
  intros B M E. unfold loss_above, beyond.
  assert (Sc : - (mu - nu) <= b * eps < mu - nu).
  { assert (K : (mu - nu) / b * b = mu - nu) by (field; lra). nra. }
  assert (L : exp eps * laplace nu b x < laplace mu b x <-> b * eps < Rabs (x - nu) - Rabs (x - mu)).
  { unfold laplace, Rdiv at 1 3. rewrite <- Rmult_assoc, <- exp_plus.
    pose proof (Rinv_0_lt_compat (2 * b) ltac:(lra)) as I.
    assert (Z : (eps + - (Rabs (x - nu) / b) - - (Rabs (x - mu) / b)) * b = b * eps - (Rabs (x - nu) - Rabs (x - mu)))
      by (field; lra).
    split; intros h.
    - apply Rmult_lt_reg_r in h; auto. apply exp_lt_inv in h. nra.
    - apply Rmult_lt_compat_r; auto. apply exp_increasing. nra. }
  destruct (Rlt_dec _ _) as [h | h]; destruct (Rlt_dec _ _) as [k | k]; auto; exfalso.
  - apply L in h. revert h. unfold Rabs. destruct (Rcase_abs _), (Rcase_abs _); lra.
  - apply h, L. unfold Rabs. destruct (Rcase_abs _), (Rcase_abs _); lra.
Qed.
Theorem laplace_loss_probability eps mu nu b : 0 < b -> nu < mu -> - ((mu - nu) / b) <= eps < (mu - nu) / b ->
  probability (laplace mu b) (loss_above eps (laplace mu b) (laplace nu b)) (1 - exp ((eps - (mu - nu) / b) / 2) / 2) /\
  probability (laplace nu b) (loss_above eps (laplace mu b) (laplace nu b)) (exp (- (eps + (mu - nu) / b) / 2) / 2).
Proof.
  intros B M E. set (t := (mu + nu + b * eps) / 2).
  assert (Sc : - (mu - nu) <= b * eps < mu - nu).
  { assert (K : (mu - nu) / b * b = mu - nu) by (field; lra). nra. }
  assert (V : forall x, beyond t x = loss_above eps (laplace mu b) (laplace nu b) x).
  { intros x. symmetry. now apply laplace_loss_edge. }
  split; apply (probability_event _ (beyond t) _ _ V), probability_beyond.
  - replace ((eps - (mu - nu) / b) / 2) with ((t - mu) / b) by (unfold t; field; lra).
    apply laplace_above_left; auto. unfold t; lra.
  - replace (- (eps + (mu - nu) / b) / 2) with (- ((t - nu) / b)) by (unfold t; field; lra).
    apply laplace_above; auto. unfold t; lra.
Qed.
Theorem laplace_close_iff eps del mu nu b : 0 < b -> nu < mu -> - ((mu - nu) / b) <= eps < (mu - nu) / b ->
  line_close eps del (laplace mu b) (laplace nu b) <-> laplace_delta eps ((mu - nu) / b) <= del.
Proof.
  intros B M E. destruct (laplace_loss_probability eps mu nu b B M E) as [P Q].
  replace (laplace_delta eps ((mu - nu) / b)) with
    (1 - exp ((eps - (mu - nu) / b) / 2) / 2 - exp eps * (exp (- (eps + (mu - nu) / b) / 2) / 2)).
  now apply hockey_decides. unfold laplace_delta.
  assert (T : exp eps * exp (- (eps + (mu - nu) / b) / 2) = exp ((eps - (mu - nu) / b) / 2)).
  { rewrite <- exp_plus. f_equal. field. lra. }
  replace (exp eps * (exp (- (eps + (mu - nu) / b) / 2) / 2))
    with (exp eps * exp (- (eps + (mu - nu) / b) / 2) / 2) by field.
  rewrite T. field.
Qed.
(* no smaller epsilon: two answers that are eps b apart are told apart at every smaller epsilon *)
Theorem laplace_epsilon_least eps eps' mu nu b : 0 < b -> nu < mu -> eps = (mu - nu) / b ->
  0 <= eps' -> line_close eps' 0 (laplace mu b) (laplace nu b) -> eps <= eps'.
Proof.
  intros B M E N H. destruct (Rle_dec eps eps') as [h | h]; auto. exfalso.
  apply laplace_close_iff in H; auto. 2: lra. unfold laplace_delta in H.
  pose proof (exp_increasing ((eps' - (mu - nu) / b) / 2) 0 ltac:(lra)) as X. rewrite exp_0 in X. lra.
Qed.
