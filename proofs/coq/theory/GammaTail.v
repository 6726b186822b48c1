(** * The tail of a Gamma variable

    A density that is proportional to x^(k - 1) exp (- x / theta) on the positive numbers gives what is beyond
    theta (k + sqrt (2 k l) + l) a probability of at most exp (- l): Chernoff's bound, the moment being the mass of the
    same density on another scale. *)
From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From Dpref Require Import Improper Density.
Open Scope R_scope.

Definition gamma_density (k theta : R) (p : R -> R) : Prop := density p /\ exists c, forall x,
  (x <= 0 -> p x = 0) /\ (0 < x -> p x = c * Rpower x (k - 1) * exp (- (x / theta))).
Lemma exp_second_order y : 0 <= y -> 1 + y + y * y / 2 <= exp y.
Proof.
  intros Y. destruct (MVT_gen (fun t => exp t - t - t * t / 2) 0 y (fun t => exp t - 1 - t)) as (c & C & E).
  - intros t _. auto_derive. auto. field.
  - intros t _. apply continuity_pt_filterlim, (ex_derive_continuous (fun t => exp t - t - t * t / 2)). auto_derive. auto.
  - rewrite Rmin_left, Rmax_right in C by lra. rewrite exp_0 in E. pose proof (exp_ineq1_le c).
    assert (0 <= (exp c - 1 - c) * (y - 0)) by (apply Rmult_le_pos; lra). lra.
Qed.
(** Chernoff's bound, for every scale u. *)
Lemma gamma_chernoff k theta p u t P : gamma_density k theta p -> 0 < theta -> 0 < u <= 1 -> 0 <= t ->
  probability p (beyond t) P -> P <= exp (- (k * ln u) - (1 - u) * t / theta).
Proof.
  intros [(N & _ & I) (c & G)] T U B H. set (b := exp (- ((k - 1) * ln u) - (1 - u) * t / theta)).
  pose proof (integral_scal _ b _ (integral_affine p u 0 1 (proj1 U) I)) as J.
  replace (exp (- (k * ln u) - (1 - u) * t / theta)) with (b * (1 / u)).
  2: { unfold b. replace (1 / u) with (exp (- ln u)) by (rewrite exp_Ropp, exp_ln by lra; field; lra).
       rewrite <- exp_plus. f_equal. ring. }
  refine (integral_le _ _ _ _ _ H J). intros x. unfold restricted, beyond. rewrite Rplus_0_r.
  assert (0 <= b * p (u * x)) by (apply Rmult_le_pos; [left; apply exp_pos | apply N]).
  destruct (Rlt_dec t x) as [X | X]; auto. assert (X0 : 0 < x) by lra. assert (UX : 0 < u * x) by (apply Rmult_lt_0_compat; lra).
  destruct (G x) as [_ ->]; auto. pose proof (N (u * x)) as M. destruct (G (u * x)) as [_ E]. rewrite E in * by auto.
  assert (S : 0 <= c * Rpower x (k - 1) * exp (- (x / theta))) by (destruct (G x) as [_ K]; rewrite <- K; auto; apply N).
  assert (Q : b * (c * Rpower (u * x) (k - 1) * exp (- (u * x / theta)))
    = c * Rpower x (k - 1) * exp (- (x / theta)) * exp ((1 - u) * (x - t) / theta)).
  { unfold b, Rpower. rewrite ln_mult by lra.
    replace (exp (- ((k - 1) * ln u) - (1 - u) * t / theta) * (c * exp ((k - 1) * (ln u + ln x)) * exp (- (u * x / theta))))
      with (c * (exp (- ((k - 1) * ln u) - (1 - u) * t / theta) * exp ((k - 1) * (ln u + ln x)) * exp (- (u * x / theta)))) by ring.
    replace (c * exp ((k - 1) * ln x) * exp (- (x / theta)) * exp ((1 - u) * (x - t) / theta))
      with (c * (exp ((k - 1) * ln x) * exp (- (x / theta)) * exp ((1 - u) * (x - t) / theta))) by ring.
    rewrite <- !exp_plus. do 2 f_equal. field. lra. }
  rewrite Q. rewrite <- (Rmult_1_r (c * Rpower x (k - 1) * exp (- (x / theta)))) at 1. apply Rmult_le_compat_l; auto.
  rewrite <- exp_0 at 1. assert (0 <= (1 - u) * (x - t) / theta) by (apply Rdiv_le_0_compat; auto; apply Rmult_le_pos; lra).
  destruct (Req_dec ((1 - u) * (x - t) / theta) 0) as [-> | Z]. lra. left. apply exp_increasing. lra.
Qed.
(** $P(X>\theta(k+\sqrt{2kl}+l))\le e^{-l}$. *)
Theorem gamma_tail k theta p l P : gamma_density k theta p -> 0 < k -> 0 < theta -> 0 <= l ->
  probability p (beyond (k * theta + theta * sqrt (2 * k * l) + theta * l)) P -> P <= exp (- l).
Proof.
  intros G K T L H. set (y := sqrt (2 * k * l) / k). pose proof (sqrt_pos (2 * k * l)) as R0.
  assert (Y : 0 <= y) by (apply Rdiv_le_0_compat; auto).
  assert (Y2 : k * (y * y / 2) = l).
  { unfold y. replace (k * (sqrt (2 * k * l) / k * (sqrt (2 * k * l) / k) / 2)) with (sqrt (2 * k * l) * sqrt (2 * k * l) / (2 * k)) by (field; lra).
    rewrite sqrt_sqrt. field. lra. apply Rmult_le_pos; lra. }
  set (w := 1 + y + y * y / 2) in *. assert (W : 1 <= w) by (unfold w; nra). pose proof (Rinv_0_lt_compat w ltac:(lra)) as W0.
  assert (W1 : / w <= 1) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra).
  assert (E : k * theta + theta * sqrt (2 * k * l) + theta * l = theta * (k * w)).
  { unfold w. rewrite <- Y2 at 2. unfold y. field. lra. }
  assert (far : 0 <= theta * (k * w)) by (repeat apply Rmult_le_pos; lra).
  rewrite E in H. apply Rle_trans with (1 := gamma_chernoff k theta p (/ w) _ P G T (conj W0 W1) far H).
  assert (D : - (k * ln (/ w)) - (1 - / w) * (theta * (k * w)) / theta = k * ln w - k * (w - 1)).
  { rewrite ln_Rinv by lra. field. lra. }
  rewrite D. assert (B : ln w <= y).
  { rewrite <- (ln_exp y). destruct (exp_second_order y Y) as [Z | Z].
    left. apply ln_increasing; auto; unfold w in *; lra. right. unfold w. now rewrite Z. }
  assert (M : k * ln w <= k * y) by (apply Rmult_le_compat_l; lra).
  assert (F : k * ln w - k * (w - 1) <= - l) by (replace (k * (w - 1)) with (k * y + l) by (unfold w; lra); lra).
  destruct F as [F | ->]. left. now apply exp_increasing. lra.
Qed.
