(** * Programs whose real output is normal on half lines

    [normal_tails m c s]: above every t, and not above it, the law m has the probabilities that the normal law of
    mean c and standard deviation s has.  An affine image of normal noise has them; and a program that draws normal
    noise and goes on with such a program, whose mean moves linearly with the noise, has them again, the variances
    added (the convolution of two normal laws).  So the output of any number of noisy steps on a linear loss has them. *)
From Coq Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From Dpref Require Import Improper Density Erfc Gaussian.
From Dpref.negations Require Import Laws.
Open Scope R_scope.

Definition normal_tails (m : law R) (c s : R) : Prop := forall t,
  probability_is m (beyond t) (normal_cdf ((c - t) / s)) /\
  probability_is m (fun x => negb (beyond t x)) (1 - normal_cdf ((c - t) / s)).

(** ** The normal distribution function *)

Lemma normal_cdf_opp x : normal_cdf (- x) = 1 - normal_cdf x.
Proof.
  unfold normal_cdf. replace (- - x / sqrt 2) with (- (- x / sqrt 2)) by (unfold Rdiv; ring). rewrite erfc_opp. field.
Qed.
Lemma normal_cdf_0 : normal_cdf 0 = 1 / 2.
Proof. pose proof (normal_cdf_opp 0) as H. rewrite Ropp_0 in H. lra. Qed.
Lemma normal_cdf_bounds x : 0 < normal_cdf x < 1.
Proof. unfold normal_cdf. pose proof (erfc_positive (- x / sqrt 2)). pose proof (erfc_below_two (- x / sqrt 2)). lra. Qed.
Lemma normal_cdf_increasing x y : x < y -> normal_cdf x < normal_cdf y.
Proof.
  intros h. unfold normal_cdf. pose proof sqrt_2_pos. enough (erfc (- x / sqrt 2) < erfc (- y / sqrt 2)) by lra.
  apply erfc_decreasing. apply Rmult_lt_compat_r. now apply Rinv_0_lt_compat. lra.
Qed.
Lemma normal_cdf_le x y : x <= y -> normal_cdf x <= normal_cdf y.
Proof. intros [h | ->]. left. now apply normal_cdf_increasing. lra. Qed.
Definition bell (x : R) : R := normal 0 1 x.
Lemma bell_formula x : bell x = exp (- (x * x / 2)) / sqrt (2 * PI).
Proof.
  unfold bell, normal. replace ((x - 0) * (x - 0) / (2 * (1 * 1))) with (x * x / 2) by field. now rewrite Rmult_1_l.
Qed.
Lemma is_derive_normal_cdf (x : R) : is_derive normal_cdf x (bell x).
Proof.
  pose proof (is_derive_erfc (- x / sqrt 2)) as D. pose proof sqrt_2_pos. pose proof sqrt_PI_pos. unfold normal_cdf.
  auto_derive. eexists; apply D. erewrite is_derive_unique by exact D. rewrite bell_formula, sqrt_2PI.
  replace (- (- x / sqrt 2 * (- x / sqrt 2))) with (- (x * x / 2)).
  2: { rewrite <- sqrt_2_square at 1. field. lra. }
  field. lra.
Qed.
Lemma bell_slope (x : R) : is_derive bell x (- (x * bell x)).
Proof.
  apply (is_derive_ext (fun x => exp (- (x * x / 2)) / sqrt (2 * PI))). intros; symmetry; apply bell_formula.
  rewrite bell_formula. auto_derive. auto. pose proof sqrt_2PI_pos.
  unfold Rdiv. field. lra.
Qed.
Lemma bell_slope_bounded x : Rabs (- (x * bell x)) <= 1.
Proof.
  rewrite Rabs_Ropp, Rabs_mult, (Rabs_pos_eq (bell x)) by (left; apply normal_positive; lra).
  rewrite bell_formula. assert (P : 1 <= sqrt (2 * PI)).
  { rewrite <- sqrt_1. apply sqrt_le_1_alt. pose proof PI2_1. lra. }
  assert (E : exp (- (x * x / 2)) <= / (1 + x * x / 2)).
  { rewrite exp_Ropp. apply Rinv_le_contravar. nra. apply exp_ineq1_le. }
  assert (S : x * x = Rabs x * Rabs x) by (unfold Rabs; destruct (Rcase_abs x); ring).
  pose proof (Rabs_pos x) as A. pose proof (exp_pos (- (x * x / 2))) as X.
  apply (Rmult_le_reg_r (sqrt (2 * PI))). lra.
  replace (Rabs x * (exp (- (x * x / 2)) / sqrt (2 * PI)) * sqrt (2 * PI)) with (Rabs x * exp (- (x * x / 2))) by (field; lra).
  apply Rle_trans with 1. 2: lra.
  apply Rle_trans with (Rabs x * / (1 + x * x / 2)). now apply Rmult_le_compat_l.
  apply (Rmult_le_reg_r (1 + x * x / 2)). nra. rewrite Rmult_assoc, Rinv_l by nra.
  pose proof (Rle_0_sqr (Rabs x - 1)) as Q. unfold Rsqr in Q. nra.
Qed.
(** Second order: the distribution function is its tangent up to the square of the step. *)
Lemma normal_cdf_tangent x k : Rabs (normal_cdf (x + k) - normal_cdf x - k * bell x) <= k * k.
Proof.
  destruct (MVT_gen normal_cdf x (x + k) bell) as (c & C & E).
  { intros; apply is_derive_normal_cdf. }
  { intros. apply continuity_pt_filterlim, (ex_derive_continuous normal_cdf). eexists; apply is_derive_normal_cdf. }
  destruct (MVT_gen bell x c (fun y => - (y * bell y))) as (d & _ & F).
  { intros; apply bell_slope. }
  { intros. apply continuity_pt_filterlim, (ex_derive_continuous bell). eexists; apply bell_slope. }
  replace (normal_cdf (x + k) - normal_cdf x - k * bell x) with (k * (- (d * bell d) * (c - x))) by (rewrite <- F, E; ring).
  rewrite !Rabs_mult. pose proof (bell_slope_bounded d) as B.
  assert (K : Rabs (c - x) <= Rabs k).
  { unfold Rmin, Rmax in C. destruct (Rle_dec x (x + k)).
    rewrite !Rabs_pos_eq by lra; lra. rewrite !Rabs_left1 by lra; lra. }
  pose proof (Rabs_pos k). pose proof (Rabs_pos (c - x)). pose proof (Rabs_pos (- (d * bell d))).
  replace (k * k) with (Rabs k * Rabs k) by (unfold Rabs; destruct (Rcase_abs k); ring).
  apply Rmult_le_compat_l; auto. nra.
Qed.

(** ** The convolution of two normal laws, on half lines *)

Lemma square_completed u z b r s W : r <> 0 -> s <> 0 -> W <> 0 -> W = r * r + b * b * (s * s) ->
  u * u / (2 * W) + (z - - (u * b * (s * s) / W)) * (z - - (u * b * (s * s) / W)) * (W / (2 * (r * r) * (s * s)))
  = (u + b * z) / r * ((u + b * z) / r) / 2 + z * z / (2 * (s * s)).
Proof.
  intros R S N H.
  replace (u * u / (2 * W) + (z - - (u * b * (s * s) / W)) * (z - - (u * b * (s * s) / W)) * (W / (2 * (r * r) * (s * s))))
    with ((u * u * (s * s) * ((r * r + b * b * (s * s)) / W) + z * z * W + 2 * z * u * b * (s * s)) / (2 * (r * r) * (s * s)))
    by (field; auto).
  rewrite <- H. replace (W / W) with 1 by (field; auto). rewrite H. field. auto.
Qed.
Section Convolution.
  Variables b r s : R.
  Hypothesis (r0 : 0 < r) (s0 : 0 < s).
  Let w := sqrt (r * r + b * b * (s * s)).
  Let w_square : w * w = r * r + b * b * (s * s).
  Proof. apply sqrt_sqrt. nra. Qed.
  Let w0 : 0 < w. Proof. apply sqrt_lt_R0. nra. Qed.
  Let f (u z : R) := normal_cdf ((u + b * z) / r) * normal 0 s z.
  Let integrable u : integrable_on_intervals (f u).
  Proof.
    intros x y. apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros z _.
    apply (continuous_mult (fun z => normal_cdf ((u + b * z) / r)) (normal 0 s)). 2: now apply continuous_normal.
    apply (ex_derive_continuous (fun z => normal_cdf ((u + b * z) / r))).
    apply (ex_derive_comp normal_cdf). eexists; apply is_derive_normal_cdf. auto_derive. lra.
  Qed.
  Let exists_mean u : exists v, integral (f u) v.
  Proof.
    apply (integral_dominated (f u) (normal 0 s) 1); auto. now apply integrable_normal. 2: now apply normal_integral.
    intros z. unfold f. pose proof (normal_cdf_bounds ((u + b * z) / r)). pose proof (normal_positive 0 s z s0). nra.
  Qed.
  Let G u := RInt_gen (f u) minus_infinity plus_infinity.
  Let G_correct u : integral (f u) (G u).
  Proof. destruct (exists_mean u) as [v H]. apply (RInt_gen_correct (f u)). now exists v. Qed.
  Let product u z : normal 0 w u * normal (- (u * b * (s * s) / (w * w))) (r * s / w) z
    = / r * (bell ((u + b * z) / r) * normal 0 s z).
  Proof.
    rewrite bell_formula. unfold normal, Rdiv. pose proof sqrt_2PI_pos.
    set (q := sqrt (2 * PI)) in *.
    assert (X : forall x y c d, exp x * c * (exp y * d) = exp (x + y) * (c * d)) by (intros; rewrite exp_plus; ring).
    rewrite !X.
    replace (/ (w * q) * / (r * s * / w * q)) with (/ r * (/ q * / (s * q))) by (field; lra).
    rewrite <- (Rmult_assoc _ (/ r)), (Rmult_comm _ (/ r)), Rmult_assoc. f_equal. f_equal. f_equal.
    replace (/ (2 * (r * s * / w * (r * s * / w)))) with ((w * w) / (2 * (r * r) * (s * s))) by (field; lra).
    pose proof (square_completed u z b r s (w * w) ltac:(lra) ltac:(lra) ltac:(nra) w_square) as E.
    unfold Rdiv in E. unfold Rminus in *. rewrite Ropp_0 in *. rewrite !Rplus_0_r. lra.
  Qed.
  Let slope u : integral (fun z => bell ((u + b * z) / r) * normal 0 s z) (r * normal 0 w u).
  Proof.
    assert (v0 : 0 < r * s / w) by (apply Rdiv_lt_0_compat; nra).
    apply (integral_ext (fun z => r * (normal 0 w u * normal (- (u * b * (s * s) / (w * w))) (r * s / w) z))).
    intros z. rewrite product. field. lra.
    replace (r * normal 0 w u) with (r * (normal 0 w u * 1)) by ring.
    now apply integral_scal, integral_scal, normal_integral.
  Qed.
  Let F u := G u - normal_cdf (u / w).
  Let step u h : Rabs (F (u + h) - F u) <= (/ (r * r) + / (w * w)) * (h * h).
  Proof.
    assert (A : Rabs (G (u + h) - G u - h * normal 0 w u) <= / (r * r) * (h * h)).
    { replace (h * normal 0 w u) with (h / r * (r * normal 0 w u)) by (field; lra).
      pose proof (integral_minus _ _ _ _ (integral_minus _ _ _ _ (G_correct (u + h)) (G_correct u))
        (integral_scal _ (h / r) _ (slope u))) as I.
      pose proof (integral_scal _ (h / r * (h / r)) _ (normal_integral 0 s s0)) as J. rewrite Rmult_1_r in J.
      replace (/ (r * r) * (h * h)) with (h / r * (h / r)) by (field; lra).
      assert (B : forall z, Rabs (f (u + h) z - f u z - h / r * (bell ((u + b * z) / r) * normal 0 s z))
        <= h / r * (h / r) * normal 0 s z).
      { intros z. unfold f. replace ((u + h + b * z) / r) with ((u + b * z) / r + h / r) by (field; lra).
        replace (normal_cdf ((u + b * z) / r + h / r) * normal 0 s z - normal_cdf ((u + b * z) / r) * normal 0 s z
            - h / r * (bell ((u + b * z) / r) * normal 0 s z))
          with ((normal_cdf ((u + b * z) / r + h / r) - normal_cdf ((u + b * z) / r) - h / r * bell ((u + b * z) / r))
            * normal 0 s z) by ring.
        pose proof (normal_positive 0 s z s0). rewrite Rabs_mult, (Rabs_pos_eq (normal 0 s z)) by lra.
        apply Rmult_le_compat_r. lra. apply normal_cdf_tangent. }
      apply Rabs_le. split.
      - pose proof (integral_scal _ (- (h / r * (h / r))) _ (normal_integral 0 s s0)) as K. rewrite Rmult_1_r in K.
        apply (integral_le _ _ _ _) with (2 := K) (3 := I). intros z. specialize (B z).
        apply Rabs_le_between in B. lra.
      - apply (integral_le _ _ _ _) with (2 := I) (3 := J). intros z. specialize (B z). apply Rabs_le_between in B. lra. }
    assert (C : Rabs (normal_cdf ((u + h) / w) - normal_cdf (u / w) - h * normal 0 w u) <= / (w * w) * (h * h)).
    { pose proof (normal_cdf_tangent (u / w) (h / w)) as T.
      replace (u / w + h / w) with ((u + h) / w) in T by (field; lra).
      replace (h / w * bell (u / w)) with (h * normal 0 w u) in T.
      replace (/ (w * w) * (h * h)) with (h / w * (h / w)) by (field; lra). exact T.
      rewrite bell_formula. unfold normal. pose proof sqrt_2PI_pos.
      replace ((u - 0) * (u - 0) / (2 * (w * w))) with (u / w * (u / w) / 2) by (field; lra). field. lra. }
    apply Rabs_le_between in A. apply Rabs_le_between in C. unfold F. apply Rabs_le. lra.
  Qed.
  Let F_constant u : F u = F 0.
  Proof.
    apply constant_of_derive. intros x. apply is_derive_Reals. intros e e0.
    set (C := / (r * r) + / (w * w)).
    assert (C0 : 0 < C).
    { unfold C. pose proof (Rinv_0_lt_compat (r * r) ltac:(nra)). pose proof (Rinv_0_lt_compat (w * w) ltac:(nra)). lra. }
    exists (mkposreal (e / C) (Rdiv_lt_0_compat _ _ e0 C0)). simpl. intros h h0 H.
    rewrite Rminus_0_r. unfold Rdiv at 1. rewrite Rabs_mult, Rabs_inv. pose proof (Rabs_pos_lt h h0) as A.
    apply (Rmult_lt_reg_r (Rabs h)); auto. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    apply Rle_lt_trans with (1 := step x h). fold C.
    replace (h * h) with (Rabs h * Rabs h) by (unfold Rabs; destruct (Rcase_abs h); ring).
    rewrite <- Rmult_assoc. apply Rmult_lt_compat_r; auto. apply (Rmult_lt_compat_l C) in H; auto.
    replace (C * (e / C)) with e in H by (field; lra). exact H.
  Qed.
  Let reflect g l : integral g l -> integral (fun x => g (- x)) l.
  Proof.
    intros H. apply (integral_ext (fun x => -1 * (-1 * g (-1 * x + 0)))). intros x.
    replace (-1 * x + 0) with (- x) by ring. ring.
    replace l with (-1 * opp l) by (unfold opp; simpl; ring). apply integral_scal.
    apply (@gen_affine _ _ plus_infinity minus_infinity _ _ g (-1) 0).
    - intros P [M HM]. exists (- M). intros x h. apply HM. lra.
    - intros P [M HM]. exists (- M). intros x h. apply HM. lra.
    - exact (is_RInt_gen_swap (V := R_NormedModule) g l H).
  Qed.
  Let G_0 : G 0 = 1 / 2.
  Proof.
    pose proof (integral_plus _ _ _ _ (G_correct 0) (reflect _ _ (G_correct 0))) as H.
    enough (G 0 + G 0 = 1) by lra. apply (integral_unique _ _ _ H).
    apply (integral_ext (normal 0 s)). 2: now apply normal_integral.
    intros z. unfold f. rewrite normal_reflect, Ropp_0.
    replace ((0 + b * - z) / r) with (- ((0 + b * z) / r)) by (field; lra). rewrite normal_cdf_opp. ring.
  Qed.
  Theorem normal_convolution u : integral (fun z => normal_cdf ((u + b * z) / r) * normal 0 s z) (normal_cdf (u / w)).
  Proof.
    replace (normal_cdf (u / w)) with (G u). apply G_correct.
    pose proof (F_constant u) as H. unfold F in H. rewrite G_0 in H.
    replace (0 / w) with 0 in H by (field; lra). rewrite normal_cdf_0 in H. lra.
  Qed.
End Convolution.

(** ** Programs *)

Lemma half_line_image c b t z : b <> 0 -> beyond t (c + b * z) =
  if Rlt_dec 0 b then beyond ((t - c) / b) z else before ((t - c) / b) z.
Proof.
  intros B. unfold beyond, before. destruct (Rlt_dec 0 b) as [P | P]; destruct (Rlt_dec t (c + b * z)) as [h | h].
  - destruct (Rlt_dec ((t - c) / b) z) as [k | k]; auto. contradict k. apply (Rmult_lt_reg_r b); auto.
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
  - destruct (Rlt_dec ((t - c) / b) z) as [k | k]; auto. contradict h. apply (Rmult_lt_compat_r b) in k; auto.
    unfold Rdiv in k. rewrite Rmult_assoc, Rinv_l in k by lra. lra.
  - destruct (Rlt_dec z ((t - c) / b)) as [k | k]; auto. contradict k. apply (Rmult_lt_reg_r (- b)). lra.
    unfold Rdiv. replace ((t - c) * / b * - b) with (- (t - c)) by (field; lra). lra.
  - destruct (Rlt_dec z ((t - c) / b)) as [k | k]; auto. contradict h. apply (Rmult_lt_compat_r (- b)) in k. 2: lra.
    unfold Rdiv in k. replace ((t - c) * / b * - b) with (- (t - c)) in k by (field; lra). lra.
Qed.
Lemma complement_of_density p S P : density p -> probability p S P ->
  integral (fun z => indicator (fun z => negb (S z)) z * p z) (1 - P).
Proof.
  intros D H. apply (integral_ext (restricted (fun z => negb (S z)) p)).
  intros z. unfold restricted, indicator. destruct (negb (S z)); ring.
  exact (probability_complement p S P D H).
Qed.
(** The law of c + b z for normal noise z. *)
Lemma affine_normal_tails c b s : b <> 0 -> 0 < s -> normal_tails (z <- gaussian 0 s; point (c + b * z)) c (Rabs b * s).
Proof.
  intros B S t. pose proof (Rabs_pos_lt b B) as A.
  assert (H : probability (normal 0 s) (fun z => beyond t (c + b * z)) (normal_cdf ((c - t) / (Rabs b * s)))).
  { apply (integral_ext (restricted (if Rlt_dec 0 b then beyond ((t - c) / b) else before ((t - c) / b)) (normal 0 s))).
    - intros z. unfold restricted. rewrite half_line_image by auto. now destruct (Rlt_dec 0 b).
    - unfold Rabs. destruct (Rcase_abs b), (Rlt_dec 0 b); try lra.
      + replace ((c - t) / (- b * s)) with (((t - c) / b - 0) / s) by (field; lra). exact (normal_before 0 s ((t - c) / b) S).
      + replace ((c - t) / (b * s)) with ((0 - (t - c) / b) / s) by (field; lra). exact (normal_beyond 0 s ((t - c) / b) S). }
  split.
  - exists (fun z => indicator (beyond t) (c + b * z)). split. reflexivity.
    apply (integral_ext (restricted (fun z => beyond t (c + b * z)) (normal 0 s))). 2: exact H.
    intros z. unfold restricted, indicator. destruct (beyond t (c + b * z)); ring.
  - exists (fun z => indicator (fun x => negb (beyond t x)) (c + b * z)). split. reflexivity.
    exact (complement_of_density (normal 0 s) (fun z => beyond t (c + b * z)) _ (normal_density 0 s S) H).
Qed.
(** Noise before a program with normal tails, whose mean moves by b times the noise. *)
Lemma bind_normal_tails k c b r s : 0 < r -> 0 < s -> (forall z, normal_tails (k z) (c + b * z) r) ->
  normal_tails (z <- gaussian 0 s; k z) c (sqrt (r * r + b * b * (s * s))).
Proof.
  intros R S H t. pose proof (normal_convolution b r s R S (c - t)) as C. split.
  - exists (fun z => normal_cdf ((c + b * z - t) / r)). split. intros z. apply H.
    apply (integral_ext (fun z => normal_cdf ((c - t + b * z) / r) * normal 0 s z)). 2: exact C.
    intros z. do 3 f_equal. ring.
  - exists (fun z => 1 - normal_cdf ((c + b * z - t) / r)). split. intros z. apply H.
    apply (integral_ext (fun z => normal 0 s z - normal_cdf ((c - t + b * z) / r) * normal 0 s z)).
    intros z. replace (c + b * z - t) with (c - t + b * z) by ring. ring.
    exact (integral_minus _ _ _ _ (normal_integral 0 s S) C).
Qed.
