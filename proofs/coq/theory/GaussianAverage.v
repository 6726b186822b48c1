(* A normal average of the normal distribution function:
     int N(mu, s^2)(x) Phi(a x + c) dx = Phi((a mu + c) / sqrt(1 + a^2 s^2)),
   because both sides have one derivative in c and both are 1/2 where the argument is 0.  From it, the probability of
   a half space under independent normal coordinates, in any number of them. *)
From Coq Require Import Reals Lra List.
From Coquelicot Require Import Coquelicot.
From Dpref Require Import Improper Density Erfc Gaussian GaussianCurve Vectors GaussianVector.
Import ListNotations.
Open Scope R_scope.

(* ---------- the distribution function ---------- *)
Lemma normal_cdf_opp x : normal_cdf (- x) = 1 - normal_cdf x.
Proof.
  unfold normal_cdf. replace (- - x / sqrt 2) with (- (- x / sqrt 2)) by (unfold Rdiv; ring). rewrite erfc_opp. lra.
Qed.
Lemma normal_cdf_bounds x : 0 < normal_cdf x < 1.
Proof.
  unfold normal_cdf. pose proof (erfc_positive (- x / sqrt 2)). pose proof (erfc_below_two (- x / sqrt 2)). lra.
Qed.
Lemma continuous_normal_cdf x : continuous normal_cdf x.
Proof. apply (ex_derive_continuous normal_cdf). eexists. apply is_derive_normal_cdf. Qed.
Lemma normal_even x : normal 0 1 (- x) = normal 0 1 x.
Proof. rewrite normal_reflect. f_equal. ring. Qed.
(* the slope of the density is at most one *)
Lemma normal_lipschitz x y : Rabs (normal 0 1 y - normal 0 1 x) <= Rabs (y - x).
Proof.
  destruct (MVT_gen (normal 0 1) x y (fun t => - t * normal 0 1 t)) as (c & _ & E).
  - intros t _. unfold normal. auto_derive. auto. pose proof sqrt_2PI_pos. unfold Rminus, Rdiv. field. lra.
  - intros t _. apply continuity_pt_filterlim, continuous_normal. lra.
  - rewrite E, Rabs_mult. rewrite <- (Rmult_1_l (Rabs (y - x))) at 2. apply Rmult_le_compat_r. apply Rabs_pos.
    unfold normal. replace ((c - 0) * (c - 0) / (2 * (1 * 1))) with (c * c / 2) by field. rewrite Rmult_1_l, exp_Ropp.
    pose proof (exp_ineq1_le (c * c / 2)) as X. assert (P : 1 <= sqrt (2 * PI)).
    { rewrite <- sqrt_1. apply sqrt_le_1_alt. pose proof PI2_1. unfold PI2 in *. lra. }
    assert (B : Rabs c <= exp (c * c / 2) * sqrt (2 * PI)).
    { apply Rle_trans with (exp (c * c / 2) * 1). 2: apply Rmult_le_compat_l; auto; left; apply exp_pos.
      rewrite Rmult_1_r. unfold Rabs. destruct (Rcase_abs c); nra. }
    pose proof (exp_pos (c * c / 2)) as Ep.
    replace (- c * (/ exp (c * c / 2) / sqrt (2 * PI))) with (- c / (exp (c * c / 2) * sqrt (2 * PI))) by (field; lra).
    unfold Rdiv. rewrite Rabs_mult, Rabs_Ropp.
    assert (Q : 0 < exp (c * c / 2) * sqrt (2 * PI)) by nra.
    rewrite (Rabs_pos_eq (/ _)) by (left; now apply Rinv_0_lt_compat).
    apply (Rmult_le_reg_r (exp (c * c / 2) * sqrt (2 * PI))); auto. rewrite Rmult_assoc, Rinv_l; lra.
Qed.
Lemma normal_cdf_quadratic y h : Rabs (normal_cdf (y + h) - normal_cdf y - h * normal 0 1 y) <= h * h.
Proof.
  destruct (MVT_gen normal_cdf y (y + h) (normal 0 1)) as (c & C & E).
  - intros; apply is_derive_normal_cdf.
  - intros; apply continuity_pt_filterlim, continuous_normal_cdf.
  - rewrite E. replace (normal 0 1 c * (y + h - y) - h * normal 0 1 y) with (h * (normal 0 1 c - normal 0 1 y)) by ring.
    rewrite Rabs_mult. pose proof (normal_lipschitz y c) as L.
    assert (D : Rabs (c - y) <= Rabs h).
    { revert C. unfold Rmin, Rmax. destruct (Rle_dec y (y + h)); unfold Rabs; destruct (Rcase_abs _), (Rcase_abs _);
        lra. }
    replace (h * h) with (Rabs h * Rabs h) by (unfold Rabs; destruct (Rcase_abs h); ring).
    apply Rmult_le_compat_l. apply Rabs_pos. lra.
Qed.

(* ---------- the average over a standard normal variable ---------- *)
Section Average.
  Variable a : R.
  Let r := sqrt (1 + a * a).
  Let r_pos : 0 < r. Proof. apply sqrt_lt_R0. nra. Qed.
  Let r_square : r * r = 1 + a * a. Proof. apply sqrt_sqrt. nra. Qed.
  Let integrand (c x : R) := normal 0 1 x * normal_cdf (a * x + c).
  Let average_exists c : exists l, integral (integrand c) l.
  Proof.
    assert (N : 0 < 1) by lra. apply (integral_dominated (integrand c) (normal 0 1) 1).
    - intros u v. apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros x _.
      apply (continuous_mult (K := R_AbsRing)). now apply continuous_normal.
      apply (continuous_comp (fun x => a * x + c) normal_cdf). apply (ex_derive_continuous (fun x => a * x + c)).
      auto_derive. auto. apply continuous_normal_cdf.
    - now apply integrable_normal.
    - intros x. unfold integrand. pose proof (normal_positive 0 1 x N). pose proof (normal_cdf_bounds (a * x + c)). nra.
    - now apply normal_integral.
  Qed.
  Let average (c : R) : R := RInt_gen (integrand c) minus_infinity plus_infinity.
  Let average_correct c : integral (integrand c) (average c).
  Proof. exact (RInt_gen_correct (integrand c) (average_exists c)). Qed.
  (* completing the square *)
  Let slope_integral c : integral (fun x => normal 0 1 x * normal 0 1 (a * x + c)) (normal 0 1 (c / r) / r).
  Proof.
    assert (I : 0 < / r) by now apply Rinv_0_lt_compat. pose proof sqrt_2PI_pos as P.
    pose proof (integral_scal _ (normal 0 1 (c / r) / r) 1 (normal_integral (- (a * c) / (r * r)) (/ r) I)) as H.
    rewrite Rmult_1_r in H. revert H. apply integral_ext. intros x. unfold normal.
    match goal with |- exp ?A / _ / r * (exp ?B / _) = exp ?C / _ * (exp ?D / _) =>
      assert (E : exp A * exp B = exp C * exp D); [ rewrite <- !exp_plus; f_equal | ] end.
    - field_simplify_eq. 2: lra. replace (r ^ 4) with ((r * r) * (r * r)) by ring. replace (r ^ 2) with (r * r) by ring.
      rewrite r_square. ring.
    - match goal with |- ?A / ?k / r * (?B / ?l) = _ => replace (A / k / r * (B / l))
        with (A * B / (r * k * l)) by (field; lra) end.
      rewrite E. field. lra.
  Qed.
  Let average_slope c : is_derive average c (normal 0 1 (c / r) / r).
  Proof.
    apply is_derive_Reals. intros e he. exists (mkposreal e he). intros h hz hb. simpl in hb.
    set (G := normal 0 1 (c / r) / r).
    assert (B : Rabs (average (c + h) - average c - h * G) <= h * h).
    { pose proof (integral_minus _ _ _ _ (integral_minus _ _ _ _ (average_correct (c + h)) (average_correct c))
        (integral_scal _ h _ (slope_integral c))) as H. fold G in H.
      pose proof (normal_integral 0 1 ltac:(lra)) as N.
      assert (Q : forall x, Rabs (integrand (c + h) x - integrand c x - h * (normal 0 1 x * normal 0 1 (a * x + c)))
        <= h * h * normal 0 1 x).
      { intros x. unfold integrand. pose proof (normal_positive 0 1 x ltac:(lra)) as Np.
        pose proof (normal_cdf_quadratic (a * x + c) h) as K. rewrite <- Rplus_assoc.
        match goal with |- Rabs ?t <= _ => replace t with
          (normal 0 1 x * (normal_cdf (a * x + c + h) - normal_cdf (a * x + c) - h * normal 0 1 (a * x + c)))
          by ring end.
        rewrite Rabs_mult, (Rabs_pos_eq (normal 0 1 x)) by lra. nra. }
      apply Rabs_le. split.
      - replace (- (h * h)) with (- (h * h) * 1) by ring.
        refine (integral_le _ _ _ _ _ (integral_scal _ (- (h * h)) 1 N) H).
        intros x. specialize (Q x). apply Rabs_le_between in Q. lra.
      - replace (h * h) with (h * h * 1) by ring.
        refine (integral_le _ _ _ _ _ H (integral_scal _ (h * h) 1 N)).
        intros x. specialize (Q x). apply Rabs_le_between in Q. lra. }
    replace ((average (c + h) - average c) / h - G) with ((average (c + h) - average c - h * G) / h) by (field; auto).
    unfold Rdiv. rewrite Rabs_mult, Rabs_inv. apply Rle_lt_trans with (2 := hb).
    assert (Hp : 0 < Rabs h) by now apply Rabs_pos_lt.
    apply (Rmult_le_reg_r (Rabs h)); auto. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    replace (Rabs h * Rabs h) with (h * h) by (unfold Rabs; destruct (Rcase_abs h); ring). exact B.
  Qed.
  Let average_opp c : average (- c) = 1 - average c.
  Proof.
    apply (integral_unique (integrand (- c))). apply average_correct.
    pose proof (integral_reflect _ _ (integral_minus _ _ _ _ (normal_integral 0 1 ltac:(lra)) (average_correct c)))
      as H.
    revert H. apply integral_ext. intros x. unfold integrand. rewrite normal_even.
    replace (a * - x + c) with (- (a * x + - c)) by ring. rewrite normal_cdf_opp. ring.
  Qed.
  Theorem standard_average c : integral (fun x => normal 0 1 x * normal_cdf (a * x + c)) (normal_cdf (c / r)).
  Proof.
    replace (normal_cdf (c / r)) with (average c). apply average_correct.
    pose proof (constant_of_derive (fun c => average c - normal_cdf (c / r))) as K. cbv beta in K.
    assert (Z : average 0 - normal_cdf (0 / r) = 0).
    { pose proof (average_opp 0) as A. pose proof (normal_cdf_opp 0) as B. rewrite Ropp_0 in A, B.
      replace (0 / r) with 0 by (field; lra). lra. }
    enough (average c - normal_cdf (c / r) = 0) by lra. rewrite <- Z. apply K. intros x.
    assert (U : is_derive (fun c => c / r) x (/ r)) by (auto_derive; [auto | field; lra]).
    pose proof (is_derive_comp normal_cdf (fun c => c / r) x _ _ (is_derive_normal_cdf (x / r)) U) as D.
    pose proof (is_derive_minus _ _ x _ _ (average_slope x) D) as E. cbv beta in E.
    match type of E with is_derive _ _ ?v => replace 0 with v end. exact E.
    unfold minus, plus, opp, scal; simpl; unfold mult; simpl. field. lra.
  Qed.
End Average.
