(* The Gaussian integral and the complementary error function.
     int_0^x e^(-t^2) dt tends to sqrt(pi) / 2,
     erfc x = 1 - 2 / sqrt(pi) int_0^x e^(-t^2) dt.
   The integral's square plus int_0^1 e^(-x^2 (1 + t^2)) / (1 + t^2) dt has derivative zero in x, is pi / 4 at 0, and
   its second term vanishes at infinity.  From that: the limits, sign, monotony and bounds of erfc. *)
From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From Dpref Require Import Improper.
Open Scope R_scope.

Definition erf_integral (x : R) : R := RInt (fun t => exp (- (t * t))) 0 x.
Definition erfc (x : R) : R := 1 - 2 / sqrt PI * RInt (fun t => exp (- (t * t))) 0 x.

(* ---------- the integrand ---------- *)
Lemma exp_le a b : a <= b -> exp a <= exp b.
Proof. intros [h | ->]. left. now apply exp_increasing. lra. Qed.
Lemma continuous_bell x : continuous (fun t => exp (- (t * t))) x.
Proof. apply (ex_derive_continuous (fun t => exp (- (t * t)))). auto_derive. auto. Qed.
Lemma integrable_bell a b : ex_RInt (fun t => exp (- (t * t))) a b.
Proof. apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros. apply continuous_bell. Qed.
Lemma is_derive_erf_integral x : is_derive erf_integral x (exp (- (x * x))).
Proof.
  apply (is_derive_RInt (fun t => exp (- (t * t))) erf_integral 0 x). 2: apply continuous_bell.
  apply filter_forall. intros y. apply (RInt_correct (fun t => exp (- (t * t)))), integrable_bell.
Qed.
Lemma erf_integral_0 : erf_integral 0 = 0.
Proof. apply (RInt_point 0 (fun t => exp (- (t * t)))). Qed.

(* ---------- the companion integral ---------- *)
Definition companion (x t : R) : R := exp (- (x * x * (1 + t * t))) / (1 + t * t).
Lemma one_plus_square t : 0 < 1 + t * t. Proof. nra. Qed.
Lemma continuous_companion x t : continuous (companion x) t.
Proof.
  apply (ex_derive_continuous (companion x)). unfold companion. auto_derive. pose proof (one_plus_square t). lra.
Qed.
Lemma Derive_companion x t : Derive (fun u => companion u t) x = -2 * x * exp (- (x * x * (1 + t * t))).
Proof.
  apply is_derive_unique. unfold companion. auto_derive. auto. pose proof (one_plus_square t). field. lra.
Qed.
Lemma is_derive_companion x :
  is_derive (fun x => RInt (companion x) 0 1) x (RInt (fun t => -2 * x * exp (- (x * x * (1 + t * t)))) 0 1).
Proof.
  rewrite <- (RInt_ext (fun t => Derive (fun u => companion u t) x)) by (intros; apply Derive_companion).
  apply is_derive_RInt_param.
  - apply filter_forall. intros y t _. unfold companion. auto_derive. auto.
  - intros t _. apply (continuity_2d_pt_ext (fun u v => -2 * u * exp (- (u * u * (1 + v * v))))).
    intros; symmetry; apply Derive_companion.
    apply continuity_2d_pt_mult. apply continuity_2d_pt_mult. apply continuity_2d_pt_const. apply continuity_2d_pt_id1.
    apply (continuity_1d_2d_pt_comp exp (fun u v => - (u * u * (1 + v * v)))).
    apply derivable_continuous_pt, derivable_pt_exp.
    apply continuity_2d_pt_opp, continuity_2d_pt_mult. apply continuity_2d_pt_mult; apply continuity_2d_pt_id1.
    apply continuity_2d_pt_plus. apply continuity_2d_pt_const. apply continuity_2d_pt_mult; apply continuity_2d_pt_id2.
  - apply filter_forall. intros y. apply (ex_RInt_continuous (V := R_CompleteNormedModule)).
    intros; apply continuous_companion.
Qed.
(* x int_0^1 e^(-x^2 t^2) dt = int_0^x e^(-t^2) dt *)
Lemma erf_integral_scaled x : RInt (fun t => x * exp (- (x * t * (x * t)))) 0 1 = erf_integral x.
Proof.
  unfold erf_integral. pose proof (RInt_comp_lin (fun t => exp (- (t * t))) x 0 0 1) as H.
  replace (x * 0 + 0) with 0 in H by ring. replace (x * 1 + 0) with x in H by ring.
  rewrite <- H by apply integrable_bell. apply RInt_ext. intros t _. unfold scal; simpl; unfold mult; simpl.
  now rewrite Rplus_0_r.
Qed.
Lemma companion_slope x : RInt (fun t => -2 * x * exp (- (x * x * (1 + t * t)))) 0 1
  = - (2 * exp (- (x * x)) * erf_integral x).
Proof.
  rewrite <- erf_integral_scaled.
  replace (- (2 * exp (- (x * x)) * RInt (fun t => x * exp (- (x * t * (x * t)))) 0 1))
    with (scal (-2 * exp (- (x * x))) (RInt (fun t => x * exp (- (x * t * (x * t)))) 0 1)).
  rewrite <- RInt_scal. apply RInt_ext. intros t _. unfold scal; simpl; unfold mult; simpl.
  replace (- (x * x * (1 + t * t))) with (- (x * x) + - (x * t * (x * t))) by ring. rewrite exp_plus. ring.
  apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros t _.
  apply (ex_derive_continuous (fun t => x * exp (- (x * t * (x * t))))). auto_derive. auto.
  unfold scal; simpl; unfold mult; simpl. ring.
Qed.

(* ---------- the Gaussian integral ---------- *)
Lemma constant_of_derive f : (forall x, is_derive f x 0) -> forall x y, f x = f y.
Proof.
  intros D x y. destruct (MVT_gen f x y (fun _ => 0)) as (c & _ & E).
  intros; apply D. intros z _. apply continuity_pt_filterlim, (ex_derive_continuous f). exists 0. apply D. lra.
Qed.
Lemma RInt_companion_0 : RInt (companion 0) 0 1 = PI / 4.
Proof.
  apply (is_RInt_unique (V := R_CompleteNormedModule)). rewrite <- atan_1.
  replace (atan 1) with (minus (atan 1) (atan 0)) by (rewrite atan_0; unfold minus, plus, opp; simpl; lra).
  apply (is_RInt_derive (V := R_CompleteNormedModule)).
  - intros t _. unfold companion. auto_derive. auto. replace (- (0 * 0 * (1 + t * t))) with 0 by ring.
    rewrite exp_0. pose proof (one_plus_square t). unfold Rsqr. field. lra.
  - intros. apply continuous_companion.
Qed.
Lemma gaussian_square x : erf_integral x * erf_integral x + RInt (companion x) 0 1 = PI / 4.
Proof.
  rewrite (constant_of_derive (fun x => erf_integral x * erf_integral x + RInt (companion x) 0 1)) with (y := 0).
  rewrite erf_integral_0, RInt_companion_0. lra.
  intros y. pose proof (is_derive_plus
    (fun x => erf_integral x * erf_integral x) (fun x => RInt (companion x) 0 1) y _ _
    (is_derive_mult erf_integral erf_integral y _ _ (is_derive_erf_integral y) (is_derive_erf_integral y) Rmult_comm)
    (is_derive_companion y)) as D.
  rewrite companion_slope in D. unfold plus, mult in D; simpl in D.
  match type of D with is_derive _ _ ?v => replace v with 0 in D by (unfold mult; simpl; ring) end. exact D.
Qed.
Lemma companion_bound x : 0 <= RInt (companion x) 0 1 <= exp (- (x * x)).
Proof.
  assert (I : ex_RInt (companion x) 0 1).
  { apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros; apply continuous_companion. }
  assert (P : forall t, 0 <= companion x t <= exp (- (x * x))).
  { intros t. unfold companion. pose proof (one_plus_square t) as Q. split.
    apply Rmult_le_pos. left; apply exp_pos. left; now apply Rinv_0_lt_compat.
    apply (Rmult_le_reg_r (1 + t * t)); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    apply Rle_trans with (exp (- (x * x)) * 1). rewrite Rmult_1_r. apply exp_le. nra.
    apply Rmult_le_compat_l. left; apply exp_pos. nra. }
  split. apply RInt_ge_0; auto. lra. intros; apply P.
  replace (exp (- (x * x))) with (RInt (fun _ => exp (- (x * x))) 0 1).
  apply RInt_le; auto. lra. apply ex_RInt_const. intros; apply P.
  rewrite RInt_const. unfold scal; simpl; unfold mult; simpl. lra.
Qed.
Lemma companion_bound_quarter x : RInt (companion x) 0 1 <= exp (- (x * x)) * (PI / 4).
Proof.
  assert (I : forall y, ex_RInt (companion y) 0 1).
  { intros y. apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros; apply continuous_companion. }
  rewrite <- RInt_companion_0. change (RInt (companion x) 0 1 <= scal (exp (- (x * x))) (RInt (companion 0) 0 1)).
  rewrite <- RInt_scal by auto. apply RInt_le; auto. lra.
  apply (ex_RInt_scal (V := R_NormedModule)); auto.
  intros t _. unfold scal; simpl; unfold mult; simpl. unfold companion, Rdiv. rewrite <- Rmult_assoc.
  pose proof (one_plus_square t) as Q.
  apply Rmult_le_compat_r. left; now apply Rinv_0_lt_compat. rewrite <- exp_plus. apply exp_le. nra.
Qed.

(* ---------- limits ---------- *)
Lemma sqrt_PI_pos : 0 < sqrt PI. Proof. apply sqrt_lt_R0, PI_RGT_0. Qed.
Lemma sqrt_PI_square : sqrt PI * sqrt PI = PI. Proof. apply sqrt_sqrt. left; apply PI_RGT_0. Qed.
Lemma erf_integral_opp x : erf_integral (- x) = - erf_integral x.
Proof.
  rewrite <- !erf_integral_scaled. symmetry.
  refine (eq_trans (eq_sym (RInt_opp (V := R_CompleteNormedModule) (fun t => x * exp (- (x * t * (x * t)))) 0 1 _)) _).
  2: { apply RInt_ext. intros t _. unfold opp; simpl.
       replace (- x * t * (- x * t)) with (x * t * (x * t)) by ring. ring. }
  apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros t _.
  apply (ex_derive_continuous (fun t => x * exp (- (x * t * (x * t))))). auto_derive. auto.
Qed.
Lemma erf_integral_increasing x y : x < y -> erf_integral x < erf_integral y.
Proof.
  intros h. destruct (MVT_gen erf_integral x y (fun t => exp (- (t * t)))) as (c & _ & E).
  intros; apply is_derive_erf_integral. intros z _. apply continuity_pt_filterlim, (ex_derive_continuous erf_integral).
  eexists; apply is_derive_erf_integral. pose proof (exp_pos (- (c * c))). nra.
Qed.
Lemma erf_integral_pos x : 0 <= x -> 0 <= erf_integral x.
Proof.
  intros [h | <-]. rewrite <- erf_integral_0. left. now apply erf_integral_increasing. rewrite erf_integral_0.
  lra.
Qed.
Lemma erfc_alt x : erfc x = 1 - 2 / sqrt PI * erf_integral x. Proof. reflexivity. Qed.
Lemma erf_integral_erfc x : erf_integral x = sqrt PI / 2 * (1 - erfc x).
Proof. rewrite erfc_alt. pose proof sqrt_PI_pos. field. lra. Qed.
Lemma erfc_0 : erfc 0 = 1. Proof. rewrite erfc_alt, erf_integral_0. ring. Qed.
Lemma erfc_opp x : erfc (- x) = 2 - erfc x. Proof. rewrite !erfc_alt, erf_integral_opp. ring. Qed.
Lemma is_derive_erfc x : is_derive erfc x (- (2 / sqrt PI * exp (- (x * x)))).
Proof.
  pose proof (is_derive_erf_integral x) as D.
  apply (is_derive_ext (fun x => 1 - 2 / sqrt PI * erf_integral x)). reflexivity.
  auto_derive. now exists (exp (- (x * x))). erewrite is_derive_unique by exact D. ring.
Qed.
Lemma continuous_erfc x : continuous erfc x.
Proof. apply (ex_derive_continuous erfc). eexists. apply is_derive_erfc. Qed.
Lemma erfc_decreasing x y : x < y -> erfc y < erfc x.
Proof.
  intros h. rewrite !erfc_alt. pose proof (erf_integral_increasing x y h).
  assert (0 < 2 / sqrt PI) by (apply Rdiv_lt_0_compat; [lra | apply sqrt_PI_pos]). nra.
Qed.
Lemma erfc_product x : 0 <= erfc x * (2 - erfc x) <= exp (- (x * x)).
Proof.
  assert (E : erfc x * (2 - erfc x) = RInt (companion x) 0 1 * (4 / PI)).
  { pose proof (gaussian_square x) as G. rewrite erf_integral_erfc in G.
    replace (RInt (companion x) 0 1) with (PI / 4 - sqrt PI / 2 * (1 - erfc x) * (sqrt PI / 2 * (1 - erfc x))) by lra.
    replace (sqrt PI / 2 * (1 - erfc x) * (sqrt PI / 2 * (1 - erfc x)))
      with (sqrt PI * sqrt PI * ((1 - erfc x) * (1 - erfc x) / 4)) by field.
    rewrite sqrt_PI_square. field. apply PI_neq0. }
  assert (0 < 4 / PI) by (apply Rdiv_lt_0_compat; [lra | apply PI_RGT_0]).
  assert (PI / 4 * (4 / PI) = 1) by (field; apply PI_neq0).
  pose proof (companion_bound x). pose proof (companion_bound_quarter x). rewrite E. split. nra.
  apply Rle_trans with (exp (- (x * x)) * (PI / 4) * (4 / PI)). nra. rewrite Rmult_assoc, H0. lra.
Qed.
Lemma erfc_at_most_one x : 0 <= x -> erfc x <= 1.
Proof. intros [h | <-]. rewrite <- erfc_0. left. now apply erfc_decreasing. rewrite erfc_0. lra. Qed.
Lemma erfc_positive x : 0 < erfc x.
Proof.
  assert (N : forall y, 0 <= y -> 0 <= erfc y).
  { intros y h. pose proof (erfc_product y). pose proof (erfc_at_most_one y h). nra. }
  destruct (Rle_dec 0 x) as [h | h].
  pose proof (N (x + 1) ltac:(lra)). pose proof (erfc_decreasing x (x + 1) ltac:(lra)). lra.
  pose proof (erfc_decreasing x 0 ltac:(lra)). pose proof erfc_0. lra.
Qed.
Lemma erfc_below_two x : erfc x < 2.
Proof. pose proof (erfc_positive (- x)). rewrite erfc_opp in H. lra. Qed.
Theorem erfc_le_exp x : 0 <= x -> erfc x <= exp (- (x * x)).
Proof. intros h. pose proof (erfc_product x). pose proof (erfc_at_most_one x h). pose proof (erfc_positive x). nra. Qed.

Lemma bell_vanishes : filterlim (fun x => exp (- (x * x))) plus_infinity (locally 0).
Proof.
  apply (is_lim_le_le_loc (fun _ => 0) (fun x => / x) (fun x => exp (- (x * x))) p_infty 0).
  - exists 1. intros x h. split. left; apply exp_pos. rewrite exp_Ropp. apply Rinv_le_contravar. lra.
    pose proof (exp_ineq1_le (x * x)). nra.
  - apply is_lim_const.
  - replace (Finite 0) with (Rbar_inv p_infty) by reflexivity. apply is_lim_inv. apply is_lim_id. easy.
Qed.
Theorem erfc_at_plus_infinity : filterlim erfc plus_infinity (locally 0).
Proof.
  apply (is_lim_le_le_loc (fun _ => 0) (fun x => exp (- (x * x))) erfc p_infty 0).
  - exists 0. intros x h. split. left; apply erfc_positive. apply erfc_le_exp. lra.
  - apply is_lim_const.
  - exact bell_vanishes.
Qed.
Lemma opp_at_minus_infinity : filterlim Ropp minus_infinity plus_infinity.
Proof. intros P [M HM]. exists (- M). intros x h. apply HM. lra. Qed.
Theorem erfc_at_minus_infinity : filterlim erfc minus_infinity (locally 2).
Proof.
  apply (filterlim_ext (fun x => 2 - erfc (- x))). intros x. rewrite erfc_opp. ring.
  assert (C : filterlim (fun y => 2 - y) (locally 0) (locally 2)).
  { assert (C : continuous (fun y => 2 - y) 0) by (apply (ex_derive_continuous (fun y => 2 - y)); auto_derive; auto).
    unfold continuous in C. now rewrite Rminus_0_r in C. }
  apply (filterlim_comp _ _ _ (fun x => erfc (- x)) (fun y => 2 - y) _ (locally 0)); auto.
  apply (filterlim_comp _ _ _ Ropp erfc _ plus_infinity). apply opp_at_minus_infinity. apply erfc_at_plus_infinity.
Qed.

(* ---------- the integrals ---------- *)
Definition bell_primitive (x : R) : R := - (sqrt PI / 2 * erfc x).
Lemma is_derive_bell_primitive x : is_derive bell_primitive x (exp (- (x * x))).
Proof.
  pose proof (is_derive_erfc x) as D. unfold bell_primitive.
  auto_derive. eexists; apply D. erewrite is_derive_unique by exact D.
  pose proof sqrt_PI_pos. field. lra.
Qed.
Lemma bell_primitive_limit F v :
  filterlim erfc F (locally v) -> filterlim bell_primitive F (locally (- (sqrt PI / 2 * v))).
Proof.
  intros H. apply (filterlim_comp _ _ _ erfc (fun y => - (sqrt PI / 2 * y)) _ (locally v)); auto.
  apply (ex_derive_continuous (fun y => - (sqrt PI / 2 * y))). auto_derive. auto.
Qed.
Theorem gaussian_integral : integral (fun x => exp (- (x * x))) (sqrt PI).
Proof.
  replace (sqrt PI) with (- (sqrt PI / 2 * 0) - - (sqrt PI / 2 * 2)) by field.
  apply (integral_antiderivative bell_primitive). apply is_derive_bell_primitive. apply continuous_bell.
  apply bell_primitive_limit, erfc_at_minus_infinity. apply bell_primitive_limit, erfc_at_plus_infinity.
Qed.
Theorem gaussian_integral_above a : integral_above a (fun x => exp (- (x * x))) (sqrt PI / 2 * erfc a).
Proof.
  replace (sqrt PI / 2 * erfc a) with (- (sqrt PI / 2 * 0) - bell_primitive a) by (unfold bell_primitive; field).
  apply integral_above_antiderivative. apply is_derive_bell_primitive. apply continuous_bell.
  apply bell_primitive_limit, erfc_at_plus_infinity.
Qed.
Theorem gaussian_integral_below a : integral_below a (fun x => exp (- (x * x))) (sqrt PI / 2 * erfc (- a)).
Proof.
  rewrite erfc_opp.
  replace (sqrt PI / 2 * (2 - erfc a)) with (bell_primitive a - - (sqrt PI / 2 * 2)) by (unfold bell_primitive; field).
  apply integral_below_antiderivative. apply is_derive_bell_primitive. apply continuous_bell.
  apply bell_primitive_limit, erfc_at_minus_infinity.
Qed.

(* ---------- tail bounds ---------- *)
Lemma nonnegative_of_decrease_to_zero h dh x : (forall t, x <= t -> is_derive h t (dh t)) ->
  (forall t, x <= t -> dh t <= 0) -> filterlim h plus_infinity (locally 0) -> 0 <= h x.
Proof.
  intros D S L. apply (filterlim_le (F := plus_infinity) h (fun _ => h x) 0 (h x)); auto.
  - exists x. intros t k. destruct (MVT_gen h x t dh) as (c & C & E).
    + intros y. rewrite Rmin_left by lra. intros Y. apply D. lra.
    + intros y. rewrite Rmin_left by lra. intros Y. apply continuity_pt_filterlim.
      apply (ex_derive_continuous h). exists (dh y). apply D. lra.
    + rewrite Rmin_left in C by lra. specialize (S c ltac:(lra)). nra.
  - apply filterlim_const.
Qed.
(* erfc x against e^(-x^2) s(x) / sqrt(pi): compare the slopes on [x, oo), as rational functions if s is one *)
Section Comparison.
  Variables (s ds : R -> R) (C x : R).
  Hypothesis derive : forall t, x <= t -> is_derive s t (ds t).
  Hypothesis bounded : forall t, x <= t -> Rabs (s t) <= C.
  Let g (t : R) := exp (- (t * t)) * s t / sqrt PI.
  Let dg (t : R) := exp (- (t * t)) * (ds t - 2 * t * s t) / sqrt PI.
  Let slope_g t : x <= t -> is_derive g t (dg t).
  Proof.
    intros h. pose proof (derive t h) as D. unfold g, dg. auto_derive. now exists (ds t).
    erewrite is_derive_unique by exact D. pose proof sqrt_PI_pos. field. lra.
  Qed.
  Let limit_g : filterlim g plus_infinity (locally 0).
  Proof.
    assert (L : forall k, is_lim (fun t => k * exp (- (t * t))) p_infty 0).
    { intros k. pose proof (is_lim_scal_l _ k p_infty 0 bell_vanishes) as H. simpl in H. now rewrite Rmult_0_r in H. }
    refine (is_lim_le_le_loc _ _ g p_infty 0 _ (L (- (C / sqrt PI))) (L (C / sqrt PI))).
    exists x. intros t h. unfold g. pose proof (bounded t ltac:(lra)) as B. apply Rabs_le_between in B.
    pose proof (exp_pos (- (t * t))) as E. pose proof sqrt_PI_pos as P. pose proof (Rinv_0_lt_compat _ P) as I.
    unfold Rdiv. split.
    replace (- (C * / sqrt PI) * exp (- (t * t))) with (exp (- (t * t)) * - C * / sqrt PI) by ring.
    apply Rmult_le_compat_r. lra. apply Rmult_le_compat_l; lra.
    replace (C * / sqrt PI * exp (- (t * t))) with (exp (- (t * t)) * C * / sqrt PI) by ring.
    apply Rmult_le_compat_r. lra. apply Rmult_le_compat_l; lra.
  Qed.
  Theorem erfc_below : (forall t, x <= t -> ds t - 2 * t * s t <= -2) -> erfc x <= exp (- (x * x)) * s x / sqrt PI.
  Proof.
    intros H. enough (0 <= g x - erfc x) by (unfold g in *; lra).
    apply (nonnegative_of_decrease_to_zero (fun t => g t - erfc t) (fun t => dg t - - (2 / sqrt PI * exp (- (t * t))))).
    - intros t h. apply (is_derive_minus g erfc). now apply slope_g. apply is_derive_erfc.
    - intros t h. unfold dg. specialize (H t h). pose proof (exp_pos (- (t * t))) as E.
      pose proof sqrt_PI_pos as P. pose proof (Rinv_0_lt_compat _ P) as I.
      replace (exp (- (t * t)) * (ds t - 2 * t * s t) / sqrt PI - - (2 / sqrt PI * exp (- (t * t))))
        with (exp (- (t * t)) * / sqrt PI * (ds t - 2 * t * s t + 2)) by (field; lra).
      pose proof (Rmult_lt_0_compat _ _ E I). nra.
    - replace 0 with (0 - 0) by ring. exact (is_lim_minus' g erfc p_infty 0 0 limit_g erfc_at_plus_infinity).
  Qed.
  Theorem erfc_above : (forall t, x <= t -> -2 <= ds t - 2 * t * s t) -> exp (- (x * x)) * s x / sqrt PI <= erfc x.
  Proof.
    intros H. enough (0 <= erfc x - g x) by (unfold g in *; lra).
    apply (nonnegative_of_decrease_to_zero (fun t => erfc t - g t) (fun t => - (2 / sqrt PI * exp (- (t * t))) - dg t)).
    - intros t h. apply (is_derive_minus erfc g). apply is_derive_erfc. now apply slope_g.
    - intros t h. unfold dg. specialize (H t h). pose proof (exp_pos (- (t * t))) as E.
      pose proof sqrt_PI_pos as P. pose proof (Rinv_0_lt_compat _ P) as I.
      replace (- (2 / sqrt PI * exp (- (t * t))) - exp (- (t * t)) * (ds t - 2 * t * s t) / sqrt PI)
        with (- (exp (- (t * t)) * / sqrt PI * (ds t - 2 * t * s t + 2))) by (field; lra).
      pose proof (Rmult_lt_0_compat _ _ E I). nra.
    - replace 0 with (0 - 0) by ring. exact (is_lim_minus' erfc g p_infty 0 0 erfc_at_plus_infinity limit_g).
  Qed.
End Comparison.

Theorem erfc_mills_upper y : 0 < y -> erfc y <= exp (- (y * y)) / (sqrt PI * y).
Proof.
  intros h. pose proof sqrt_PI_pos as P.
  replace (exp (- (y * y)) / (sqrt PI * y)) with (exp (- (y * y)) * / y / sqrt PI) by (field; lra).
  apply (erfc_below Rinv (fun t => - / (t * t)) (/ y)); intros t T.
  - auto_derive. lra. field. lra.
  - rewrite Rabs_pos_eq. apply Rinv_le_contravar; lra. left. apply Rinv_0_lt_compat. lra.
  - replace (- / (t * t) - 2 * t * / t) with (-2 - / (t * t)) by (field; lra).
    pose proof (Rinv_0_lt_compat (t * t) ltac:(nra)). lra.
Qed.
Theorem erfc_mills_lower y : 0 <= y -> exp (- (y * y)) * (2 * y / (2 * (y * y) + 1)) / sqrt PI <= erfc y.
Proof.
  intros h.
  assert (D : forall t, 0 < 2 * (t * t) + 1) by (intros; nra).
  apply (erfc_above (fun t => 2 * t / (2 * (t * t) + 1))
    (fun t => (2 - 4 * (t * t)) / ((2 * (t * t) + 1) * (2 * (t * t) + 1))) 1); intros t T; pose proof (D t).
  - auto_derive. lra. field. lra.
  - rewrite Rabs_pos_eq. apply (Rmult_le_reg_r (2 * (t * t) + 1)); auto. unfold Rdiv.
    rewrite Rmult_assoc, Rinv_l by lra. pose proof (Rle_0_sqr (t - 1 / 2)) as Q. unfold Rsqr in Q. nra.
    apply Rmult_le_pos. lra. left. now apply Rinv_0_lt_compat.
  - apply (Rmult_le_reg_r ((2 * (t * t) + 1) * (2 * (t * t) + 1))). nra.
    replace (((2 - 4 * (t * t)) / ((2 * (t * t) + 1) * (2 * (t * t) + 1)) - 2 * t * (2 * t / (2 * (t * t) + 1)))
      * ((2 * (t * t) + 1) * (2 * (t * t) + 1))) with (2 - 4 * (t * t) - 4 * (t * t) * (2 * (t * t) + 1))
          by (field; lra).
    nra.
Qed.
(* Abramowitz and Stegun 7.1.13, the simple half *)
Theorem erfc_scaled_bound y : 0 <= y -> y * exp (y * y) * erfc y <= 1 / sqrt PI.
Proof.
  intros [h | <-].
  - pose proof (erfc_mills_upper y h) as M. pose proof sqrt_PI_pos as P.
    assert (E : 0 < y * exp (y * y)) by (apply Rmult_lt_0_compat; auto; apply exp_pos).
    apply Rle_trans with (y * exp (y * y) * (exp (- (y * y)) / (sqrt PI * y))). apply Rmult_le_compat_l; lra.
    rewrite exp_Ropp. right. field. pose proof (exp_pos (y * y)). lra.
  - rewrite !Rmult_0_l. apply Rmult_le_pos. lra. left. apply Rinv_0_lt_compat, sqrt_PI_pos.
Qed.
