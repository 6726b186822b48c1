(** * From Renyi divergence to (eps, delta), and from records to groups

    Proved here: both conversions of a divergence of order a to a delta, the plain one (Mironov 2017, Proposition 3) and
    the sharper one of Canonne, Kamath and Steinke 2020; the delta of zCDP (Bun and Steinke 2016, Proposition 1.3); the
    triangle inequality, of which Mironov's Proposition 11 is the case t = 1/2; groups of k records under zCDP. *)
From Dpref Require Import Finite Interaction Approximate Convexity Renyi.

(** ** To (eps, delta) *)

(** 1 - e^(-y) <= c e^((a - 1) y) for every y, c = (1 - 1/a)^a / (a - 1). *)
Definition conversion_factor a := exp (a * ln (1 - / a)) / (a - 1).
Lemma conversion_factor_bounds a : 1 < a -> 0 < conversion_factor a /\ conversion_factor a <= / a.
Proof.
  intros A. assert (I : 0 < / a < 1).
  { split. apply Rinv_0_lt_compat; lra. rewrite <- Rinv_1. apply Rinv_lt_contravar; lra. }
  unfold conversion_factor. split. apply Rdiv_lt_0_compat. apply exp_pos. lra.
  replace (a * ln (1 - / a)) with ((a - 1) * ln (1 - / a) + ln (1 - / a)) by ring. rewrite exp_plus, exp_ln by lra.
  assert (exp ((a - 1) * ln (1 - / a)) <= 1).
  { apply Rle_trans with (exp 0). 2: rewrite exp_0; lra. apply exp_mono. pose proof (ln_below (1 - / a) ltac:(lra)).
    assert (0 <= (a - 1) * - ln (1 - / a)) by (apply Rmult_le_pos; lra). lra. }
  replace (exp ((a - 1) * ln (1 - / a)) * (1 - / a) / (a - 1)) with (exp ((a - 1) * ln (1 - / a)) * / a) by (field; lra).
  nra.
Qed.
Lemma conversion_below a v : 1 < a -> 0 < v -> 1 - v <= conversion_factor a * exp ((a - 1) * - ln v).
Proof.
  intros A V. destruct (Rle_lt_dec 1 v) as [H | H].
  { destruct (conversion_factor_bounds a A). pose proof (exp_pos ((a - 1) * - ln v)). nra. }
  assert (I : 0 < / a < 1).
  { split. apply Rinv_0_lt_compat; lra. rewrite <- Rinv_1. apply Rinv_lt_contravar; lra. }
  (* (a - 1) ln (v a / (a - 1)) + ln (a (1 - v)) <= 0 *)
  pose proof (ln_below (v / (1 - / a)) ltac:(apply Rdiv_lt_0_compat; lra)) as L1.
  pose proof (ln_below ((1 - v) * a) ltac:(nra)) as L2. rewrite ln_quotient in L1 by lra. rewrite ln_mult in L2 by lra.
  unfold conversion_factor. replace (/ (a - 1)) with (exp (- ln (a - 1))) by (rewrite exp_Ropp, exp_ln by lra; auto).
  rewrite <- (exp_ln (1 - v)) by lra. unfold Rdiv. replace (/ (a - 1)) with (exp (- ln (a - 1))) by (rewrite exp_Ropp, exp_ln by lra; auto).
  rewrite <- !exp_plus. apply exp_mono.
  assert (LA : ln (a - 1) = ln (1 - / a) + ln a).
  { rewrite <- ln_mult by lra. f_equal. field. lra. }
  rewrite LA. apply (Rmult_le_compat_l (a - 1)) in L1; [ | lra].
  replace ((a - 1) * (v / (1 - / a) - 1)) with (a * v - (a - 1)) in L1 by (field; lra). nra.
Qed.
Theorem renyi_to_dp_optimised {O} (l : list O) a r eps p q : 1 < a -> (forall o, 0 <= p o) -> (forall o, 0 <= q o) ->
  renyi l a r p q -> close l eps (exp ((a - 1) * (r - eps)) * conversion_factor a) p q.
Proof.
  intros A P Q [S M]. apply hockey_is_delta. destruct (conversion_factor_bounds a A) as [F0 _].
  apply Rle_trans with (exp (- (a - 1) * eps) * conversion_factor a * moment l a p q).
  - unfold hockey, moment. rewrite <- sum_scal. apply sum_le. intros o I. destruct (P o) as [X | X].
    + pose proof (S o I X) as Y. assert (V : 0 < exp eps * q o / p o).
      { apply Rdiv_lt_0_compat; auto. apply Rmult_lt_0_compat; auto. apply exp_pos. }
      pose proof (conversion_below a _ A V) as C.
      replace (ln (exp eps * q o / p o)) with (eps - ln (p o / q o)) in C.
      2: { rewrite !ln_quotient, ln_mult, ln_exp by (auto using exp_pos; apply Rmult_lt_0_compat; auto; apply exp_pos). ring. }
      assert (E : p o * (conversion_factor a * exp ((a - 1) * - (eps - ln (p o / q o))))
        = exp (- (a - 1) * eps) * conversion_factor a * (p o * Rpower (p o / q o) (a - 1))).
      { unfold Rpower. replace ((a - 1) * - (eps - ln (p o / q o))) with (- (a - 1) * eps + (a - 1) * ln (p o / q o)) by ring.
        rewrite exp_plus. ring. }
      rewrite <- E. apply Rmax_lub.
      * apply Rmult_le_pos. lra. apply Rmult_le_pos. lra. left; apply exp_pos.
      * apply Rle_trans with (p o * (1 - exp eps * q o / p o)). right; field; lra. apply Rmult_le_compat_l; lra.
    + rewrite <- X, Rmult_0_l, Rmult_0_r. right. apply Rmax_left. pose proof (Q o). pose proof (exp_pos eps). nra.
  - apply Rle_trans with (exp (- (a - 1) * eps) * conversion_factor a * exp ((a - 1) * r)).
    apply Rmult_le_compat_l; auto. apply Rmult_le_pos. left; apply exp_pos. lra.
    replace ((a - 1) * (r - eps)) with (- (a - 1) * eps + (a - 1) * r) by ring. rewrite exp_plus. right; ring.
Qed.
Theorem renyi_to_dp {O} (l : list O) a r eps p q : 1 < a -> (forall o, 0 <= p o) -> (forall o, 0 <= q o) ->
  renyi l a r p q -> close l eps (exp ((a - 1) * (r - eps))) p q.
Proof.
  intros A P Q H. apply close_weaken with eps (exp ((a - 1) * (r - eps)) * conversion_factor a); auto. lra.
  2: now apply renyi_to_dp_optimised. destruct (conversion_factor_bounds a A) as [_ F]. pose proof (exp_pos ((a - 1) * (r - eps))).
  assert (/ a <= 1) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra). nra.
Qed.
(** The delta of zCDP at the best order of the plain conversion. *)
Theorem zcdp_to_dp {D O} neighbours (l : list O) rho eps (M : D -> O -> R) : 0 < rho -> rho < eps -> mechanism l M ->
  zCDP neighbours l rho M -> DP neighbours l eps (exp (- ((eps - rho) * (eps - rho)) / (4 * rho))) M.
Proof.
  intros R0 E P H d d' N. set (a := 1 + (eps - rho) / (2 * rho)).
  assert (A : 1 < a) by (unfold a; pose proof (Rdiv_lt_0_compat (eps - rho) (2 * rho)); lra).
  replace (- ((eps - rho) * (eps - rho)) / (4 * rho)) with ((a - 1) * (rho * a - eps)) by (unfold a; field; lra).
  apply renyi_to_dp; auto; try apply P. now apply H.
Qed.

(** ** The triangle inequality *)

Lemma power_split a t x y z : 0 < t < 1 -> t < a -> 0 < x -> 0 < y -> 0 < z ->
  x * Rpower (x / z) (a - 1)
  = Rpower (x * Rpower (x / y) (a / t - 1)) t * Rpower (y * Rpower (y / z) ((a - t) / (1 - t) - 1)) (1 - t).
Proof.
  intros T A X Y Z. assert (E : forall x y b, 0 < x -> 0 < y -> x * Rpower (x / y) (b - 1) = exp (b * ln x + (1 - b) * ln y)).
  { intros u v b U V. unfold Rpower. rewrite ln_quotient by auto. rewrite <- (exp_ln u) at 1 by auto. rewrite <- exp_plus. f_equal. ring. }
  rewrite !E by auto. unfold Rpower. rewrite !ln_exp, <- exp_plus. f_equal. field. lra.
Qed.
Theorem renyi_triangle {O} (l : list O) a t s1 s2 p r q : 1 < a -> 0 < t < 1 ->
  (forall o, 0 <= p o) -> (forall o, 0 <= r o) -> (forall o, 0 <= q o) ->
  renyi l (a / t) s1 p r -> renyi l ((a - t) / (1 - t)) s2 r q ->
  renyi l a ((a - t) / (a - 1) * s1 + s2) p q.
Proof.
  intros A T P R0 Q [S1 M1] [S2 M2]. split. intros o I X. apply S2; auto.
  replace ((a - 1) * ((a - t) / (a - 1) * s1 + s2))
    with (t * ((a / t - 1) * s1) + (1 - t) * (((a - t) / (1 - t) - 1) * s2)) by (field; lra).
  unfold moment. apply (hoelder l t _ _ (fun o => p o * Rpower (p o / r o) (a / t - 1)) (fun o => r o * Rpower (r o / q o) ((a - t) / (1 - t) - 1)));
    auto; try lra; try (intros o; apply Rmult_le_pos; auto; left; apply exp_pos).
  intros o I. destruct (P o) as [X | <-]; [right | left; lra]. pose proof (S1 o I X) as Y. pose proof (S2 o I Y) as Z.
  repeat split; try (apply Rmult_lt_0_compat; auto; apply exp_pos). right. apply power_split; auto; lra.
Qed.
(** Mironov 2017, Proposition 11. *)
Corollary weak_triangle {O} (l : list O) a s1 s2 p r q : 1 < a ->
  (forall o, 0 <= p o) -> (forall o, 0 <= r o) -> (forall o, 0 <= q o) ->
  renyi l (2 * a) s1 p r -> renyi l (2 * a - 1) s2 r q ->
  renyi l a ((2 * a - 1) / (2 * (a - 1)) * s1 + s2) p q.
Proof.
  intros A P R0 Q H1 H2. replace ((2 * a - 1) / (2 * (a - 1)) * s1 + s2) with ((a - / 2) / (a - 1) * s1 + s2) by (field; lra).
  apply renyi_triangle with r; auto. lra. now replace (a / / 2) with (2 * a) by field.
  now replace ((a - / 2) / (1 - / 2)) with (2 * a - 1) by field.
Qed.

(** ** Groups under zCDP *)

(** Two distances x and y: rho x^2-zCDP and rho y^2-zCDP join to rho (x + y)^2-zCDP. *)
Lemma zcdp_two_steps {O} (l : list O) rho x y p r q : 0 < x -> 0 < y -> 0 <= rho ->
  (forall o, 0 <= p o) -> (forall o, 0 <= r o) -> (forall o, 0 <= q o) ->
  (forall a, 1 < a -> renyi l a (rho * (x * x) * a) p r) -> (forall a, 1 < a -> renyi l a (rho * (y * y) * a) r q) ->
  forall a, 1 < a -> renyi l a (rho * ((x + y) * (x + y)) * a) p q.
Proof.
  intros X Y R0 P Pr Q H1 H2 a A. set (w := a * (x + y) - y). assert (W : 0 < w) by (unfold w; nra).
  set (t := x * a / w). assert (T : 0 < t < 1).
  { split. apply Rdiv_lt_0_compat; nra. apply (Rmult_lt_reg_r w); auto. unfold t. replace (x * a / w * w) with (x * a) by (field; lra).
    unfold w. nra. }
  assert (B : 1 < (a - t) / (1 - t)).
  { apply (Rmult_lt_reg_r (1 - t)). lra. replace ((a - t) / (1 - t) * (1 - t)) with (a - t) by (field; lra). lra. }
  assert (C : 1 < a / t).
  { apply (Rmult_lt_reg_r t). lra. replace (a / t * t) with a by (field; lra). lra. }
  replace (rho * ((x + y) * (x + y)) * a)
    with ((a - t) / (a - 1) * (rho * (x * x) * (a / t)) + rho * (y * y) * ((a - t) / (1 - t))).
  { apply renyi_triangle with r; auto. }
  assert (1 - t = y * (a - 1) / w) as -> by (unfold t, w in *; field; lra).
  assert (a - t = a * ((a - 1) * (x + y)) / w) as -> by (unfold t, w in *; field; lra).
  unfold t. field. repeat split; lra.
Qed.
Theorem zcdp_group_privacy {D O} (neighbours : D -> D -> Prop) (l : list O) rho (M : D -> O -> R) k : 0 <= rho ->
  mechanism l M -> zCDP neighbours l rho M -> zCDP (steps neighbours k) l (INR k * INR k * rho) M.
Proof.
  intros R0 PM H a A d d' S. revert a A. induction S as [d | k d e d' N S IH]; intros a A.
  - simpl. replace (0 * 0 * rho * a) with 0 by ring. apply renyi_self, PM.
  - destruct k as [ | k].
    { inversion S; subst. simpl. replace (1 * 1 * rho * a) with (rho * a) by ring. now apply H. }
    rewrite (S_INR (Datatypes.S k)). replace ((INR (Datatypes.S k) + 1) * (INR (Datatypes.S k) + 1) * rho * a)
      with (rho * ((1 + INR (Datatypes.S k)) * (1 + INR (Datatypes.S k))) * a) by ring.
    apply zcdp_two_steps with (M e); try apply PM; auto. lra. apply lt_0_INR. lia.
    intros b B. replace (rho * (1 * 1) * b) with (rho * b) by ring. now apply H.
    intros b B. replace (rho * (INR (Datatypes.S k) * INR (Datatypes.S k)) * b)
      with (INR (Datatypes.S k) * INR (Datatypes.S k) * rho * b) by ring. now apply IH.
Qed.
