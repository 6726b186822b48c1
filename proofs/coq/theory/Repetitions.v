(** * Laws of the number of runs

    The laws that private selection draws its number of runs from (Papernot and Steinke 2022, Definitions 1 and 5):
    Poisson, the truncated negative binomial law with eta > -1, eta <> 0, and the logarithmic law, which is that of
    eta = 0.  Proved here from Coquelicot's series: each is a law, its generating function has the closed form that the
    accountants use, the derivative of that is known, and at one it is the mean; the binomial series with a real
      exponent
    and the series of the logarithm, on [0, 1), on the way. *)
From Coquelicot Require Import Coquelicot.
From Dpref Require Import Finite Convexity BestOf.
Open Scope R_scope.

(** $e^{-m}\frac{m^k}{k!}$ *)
Definition poisson m k := exp (- m) * m ^ k / INR (fact k).
(** $\prod_{j<k}\frac{j+\eta}{j+1}$ *)
Fixpoint rising eta k := match k with 0%nat => 1 | S k => rising eta k * ((INR k + eta) / (INR k + 1)) end.
(** $\frac{(1-\gamma)^k}{\gamma^{-\eta}-1}\prod_{j<k}\frac{j+\eta}{j+1}$ for $k\ge1$ *)
Definition negative_binomial eta gamma k :=
  match k with 0%nat => 0 | S _ => rising eta k * (1 - gamma) ^ k / (Rpower gamma (- eta) - 1) end.
(** $\frac{(1-\gamma)^k}{k\ln(1/\gamma)}$ for $k\ge1$ *)
Definition logarithmic gamma k := match k with 0%nat => 0 | S _ => (1 - gamma) ^ k / (INR k * - ln gamma) end.

(** An equation of real numbers, where Coquelicot sees elements of a module. *)
Ltac real := match goal with |- ?a = ?b => change (@eq R a b) end.

Definition poisson_generating m z := exp (m * (z - 1)).
Definition negative_binomial_generating eta gamma z :=
  (Rpower (1 - (1 - gamma) * z) (- eta) - 1) / (Rpower gamma (- eta) - 1).
Definition logarithmic_generating gamma z := ln (1 - (1 - gamma) * z) / ln gamma.

(** $\mathbb EK=\sum_kkw_k=m$ *)
Definition has_mean (w : nat -> R) (m : R) := is_series (fun k => INR k * w k) m.

Lemma law_of_generating w f : (forall k, 0 <= w k) -> generates w f -> f 1 = 1 -> number_of_runs w.
Proof.
  intros N G E. split; auto. rewrite <- E. generalize (G 1 ltac:(lra)). apply is_series_ext. intros k. rewrite pow1.
  apply Rmult_1_r.
Qed.
Lemma series_scaled (g : nat -> R) c s : is_series g s -> is_series (fun k => c * g k) (c * s).
Proof. intros H. exact (is_series_scal c g s H). Qed.

(** ** Poisson *)

Theorem poisson_generates m : generates (poisson m) (poisson_generating m).
Proof.
  intros z _. unfold poisson_generating. replace (m * (z - 1)) with (- m + m * z) by ring. rewrite exp_plus.
  pose proof (proj1 (is_pseries_R _ _ _) (is_exp_Reals (m * z))) as H. apply (series_scaled _ (exp (- m))) in H.
  revert H. apply is_series_ext. intros k. real. unfold poisson. rewrite Rpow_mult_distr. unfold Rdiv. ring.
Qed.
Theorem poisson_is_law m : 0 < m -> number_of_runs (poisson m).
Proof.
  intros M. apply (law_of_generating _ (poisson_generating m)); [ | apply poisson_generates | ].
  - intros k. unfold poisson. apply Rmult_le_pos. apply Rmult_le_pos. left; apply exp_pos. apply pow_le; lra.
    left. apply Rinv_0_lt_compat, INR_fact_lt_0.
  - unfold poisson_generating. replace (m * (1 - 1)) with 0 by ring. apply exp_0.
Qed.
Lemma poisson_slope m z : is_derive (poisson_generating m) z (m * exp (m * (z - 1))).
Proof. unfold poisson_generating. auto_derive; auto. unfold Rminus. ring. Qed.

(** ** The binomial series *)

Lemma harmonic_limit : is_lim_seq (fun n => / INR (S n)) 0.
Proof.
  apply (is_lim_seq_incr_1 (fun n => / INR n)). replace (Finite 0) with (Rbar_inv p_infty) by reflexivity.
  apply is_lim_seq_inv. apply is_lim_seq_INR. easy.
Qed.
Lemma rising_nonzero eta k : -1 < eta -> eta <> 0 -> rising eta k <> 0.
Proof.
  intros A N. induction k as [ | k IH]. simpl. lra. simpl. pose proof (pos_INR k).
  apply Rmult_integral_contrapositive_currified; auto. apply Rmult_integral_contrapositive_currified.
  2: apply Rinv_neq_0_compat; lra. destruct k as [ | k]. simpl. lra. rewrite S_INR in *. pose proof (pos_INR k). lra.
Qed.
Lemma rising_radius eta : -1 < eta -> eta <> 0 -> CV_radius (rising eta) = 1.
Proof.
  intros A N. rewrite <- Rinv_1. apply CV_radius_finite_DAlembert. intros n. now apply rising_nonzero. lra.
  rewrite <- Rabs_R1. apply (is_lim_seq_abs _ 1).
  apply (is_lim_seq_ext (fun n => 1 + (eta - 1) * / INR (S n))).
  - intros n. pose proof (pos_INR n). pose proof (rising_nonzero eta n A N). simpl rising. rewrite S_INR. field. lra.
  - replace (Finite 1) with (Finite (1 + (eta - 1) * 0)) by (f_equal; ring).
    apply (is_lim_seq_plus' (fun _ => 1)). apply is_lim_seq_const.
    apply (is_lim_seq_scal_l _ (eta - 1) 0). apply harmonic_limit.
Qed.
Lemma inside a y : CV_radius a = 1 -> 0 <= y < 1 -> Rbar_lt (Rabs y) (CV_radius a).
Proof. intros -> H. simpl. rewrite Rabs_pos_eq; lra. Qed.
Lemma inside_series a y : CV_radius a = 1 -> 0 <= y < 1 -> is_series (fun k => a k * y ^ k) (PSeries a y).
Proof.
  intros C H. apply is_pseries_R. apply PSeries_correct. now apply CV_radius_inside, inside.
Qed.
(** A function whose slope vanishes on [0, y] is the same at both ends. *)
Lemma same_at_ends g (y : R) : 0 <= y -> (forall x, 0 <= x <= y -> is_derive g x 0) -> g y = g 0.
Proof.
  intros Y D. destruct (MVT_gen g 0 y (fun _ => 0)) as (c & _ & E).
  - intros x. rewrite Rmin_left, Rmax_right by lra. intros I. apply D. lra.
  - intros x. rewrite Rmin_left, Rmax_right by lra. intros I. eapply derive_continuous. now apply D.
  - lra.
Qed.
Lemma rising_slope eta y : -1 < eta -> eta <> 0 -> 0 <= y < 1 ->
  (1 - y) * PSeries (PS_derive (rising eta)) y = eta * PSeries (rising eta) y.
Proof.
  intros A N Y. pose proof (rising_radius eta A N) as C.
  assert (C' : CV_radius (PS_derive (rising eta)) = 1) by (now rewrite CV_radius_derive).
  assert (E1 : ex_pseries (PS_derive (rising eta)) y) by now apply CV_radius_inside, inside.
  rewrite Rmult_minus_distr_r, Rmult_1_l, <- PSeries_incr_1, <- PSeries_minus, <- PSeries_scal; auto.
  2: now apply ex_pseries_incr_1. apply PSeries_ext. intros k. unfold PS_minus, PS_plus, PS_opp, PS_scal, PS_derive,
    PS_incr_1.
  change (INR (S k) * rising eta (S k) - match k with 0%nat => 0 | S n => INR (S n) * rising eta (S n) end = eta *
    rising eta k).
  simpl rising. rewrite S_INR. pose proof (pos_INR k). destruct k as [ | k]. simpl. field.
  simpl rising. rewrite S_INR in *. pose proof (pos_INR k). field. lra.
Qed.
(** $\sum_ky^k\prod_{j<k}\frac{j+\eta}{j+1}=(1-y)^{-\eta}$ *)
Theorem binomial_series eta y : -1 < eta -> eta <> 0 -> 0 <= y < 1 -> PSeries (rising eta) y = Rpower (1 - y) (- eta).
Proof.
  intros A N Y. pose proof (rising_radius eta A N) as C.
  pose (g x := PSeries (rising eta) x * Rpower (1 - x) eta).
  assert (E : g y = g 0).
  { apply same_at_ends. lra. intros x X. unfold g.
    replace 0 with (plus (mult (PSeries (PS_derive (rising eta)) x) (Rpower (1 - x) eta))
      (mult (PSeries (rising eta) x) (- eta * / (1 - x) * Rpower (1 - x) eta))).
    apply (is_derive_mult (PSeries (rising eta)) (fun x => Rpower (1 - x) eta)).
    - apply is_derive_PSeries. apply inside; auto. lra.
    - unfold Rpower. auto_derive. lra. unfold Rminus. field. lra.
    - intros u v. apply Rmult_comm.
    - unfold plus, mult; simpl; unfold mult; simpl.
      pose proof (rising_slope eta x A N ltac:(lra)) as S.
      replace (PSeries (PS_derive (rising eta)) x) with (eta * PSeries (rising eta) x / (1 - x)) by (rewrite <- S;
        field; lra).
      field. lra. }
  unfold g in E. rewrite PSeries_0, Rminus_0_r, Rpower_Ropp in *. simpl in E.
  rewrite Rmult_1_l in E. replace (Rpower 1 eta) with 1 in E by (unfold Rpower; now rewrite ln_1, Rmult_0_r, exp_0).
  pose proof (Rpower_pos (1 - y) eta). apply (Rmult_eq_reg_r (Rpower (1 - y) eta)); [ | lra]. rewrite E. field. lra.
Qed.

(** ** The truncated negative binomial law *)

Section NegativeBinomial.
  Variables eta gamma : R.
  Hypothesis A : -1 < eta.
  Hypothesis N : eta <> 0.
  Hypothesis Ga : 0 < gamma < 1.

  Lemma shape_pos : 0 < eta / (Rpower gamma (- eta) - 1).
  Proof.
    assert (L : ln gamma < 0) by (rewrite <- ln_1; apply ln_increasing; lra). unfold Rpower.
    destruct (Rlt_le_dec 0 eta) as [P | P].
    - apply Rdiv_lt_0_compat; auto. assert (exp 0 < exp (- eta * ln gamma)) by (apply exp_increasing; nra).
      rewrite exp_0 in H. lra.
    - assert (exp (- eta * ln gamma) < exp 0) by (apply exp_increasing; nra). rewrite exp_0 in H.
      replace (eta / (exp (- eta * ln gamma) - 1)) with (- eta / (1 - exp (- eta * ln gamma))) by (field; lra).
      apply Rdiv_lt_0_compat; lra.
  Qed.
  Lemma denominator : Rpower gamma (- eta) - 1 <> 0.
  Proof. intros E. pose proof shape_pos as H. rewrite E in H. unfold Rdiv in H. rewrite Rinv_0 in H. lra. Qed.
  Lemma rising_sign k : exists c, 0 <= c /\ rising eta (S k) = eta * c.
  Proof.
    induction k as [ | k (c & C & E)]. exists 1. split. lra. simpl. field.
    exists (c * ((INR (S k) + eta) / (INR (S k) + 1))). split.
    - rewrite S_INR. pose proof (pos_INR k). apply Rmult_le_pos; auto. apply Rmult_le_pos. lra.
      left. apply Rinv_0_lt_compat. lra.
    - change (rising eta (S (S k))) with (rising eta (S k) * ((INR (S k) + eta) / (INR (S k) + 1))). rewrite E. ring.
  Qed.
  Lemma terms k z : negative_binomial eta gamma k * z ^ k
    = / (Rpower gamma (- eta) - 1) * (rising eta k * ((1 - gamma) * z) ^ k - 0 ^ k).
  Proof.
    pose proof denominator. unfold negative_binomial. destruct k as [ | k]. simpl. ring.
    rewrite pow_i by lia. rewrite Rpow_mult_distr. field. auto.
  Qed.
  Theorem negative_binomial_generates : generates (negative_binomial eta gamma) (negative_binomial_generating eta
    gamma).
  Proof.
    intros z Z. assert (Y : 0 <= (1 - gamma) * z < 1) by nra.
    pose proof (inside_series (rising eta) _ (rising_radius eta A N) Y) as S. rewrite binomial_series in S by auto.
    pose proof (is_series_geom 0 ltac:(rewrite Rabs_R0; lra)) as S0.
    pose proof (series_scaled _ (/ (Rpower gamma (- eta) - 1)) _ (is_series_minus _ _ _ _ S S0)) as T.
    unfold negative_binomial_generating.
    replace ((Rpower (1 - (1 - gamma) * z) (- eta) - 1) / (Rpower gamma (- eta) - 1))
      with (/ (Rpower gamma (- eta) - 1) * minus (Rpower (1 - (1 - gamma) * z) (- eta)) (/ (1 - 0))).
    revert T. apply is_series_ext. intros k. rewrite terms. reflexivity.
    unfold minus, plus, opp; simpl. rewrite Rminus_0_r, Rinv_1. unfold Rdiv. ring.
  Qed.
  Theorem negative_binomial_is_law : number_of_runs (negative_binomial eta gamma).
  Proof.
    apply (law_of_generating _ (negative_binomial_generating eta gamma)); [ | apply negative_binomial_generates | ].
    - intros [ | k]. simpl. lra. unfold negative_binomial. destruct (rising_sign k) as (c & C & E). rewrite E.
      replace (eta * c * (1 - gamma) ^ S k / (Rpower gamma (- eta) - 1))
        with (eta / (Rpower gamma (- eta) - 1) * (c * (1 - gamma) ^ S k)) by (field; apply denominator).
      apply Rmult_le_pos. left; apply shape_pos. apply Rmult_le_pos; auto. apply pow_le. lra.
    - unfold negative_binomial_generating. rewrite Rmult_1_r. replace (1 - (1 - gamma)) with gamma by ring.
      field. apply denominator.
  Qed.
  Lemma negative_binomial_slope z : 0 <= z <= 1 -> is_derive (negative_binomial_generating eta gamma) z
    (eta / (Rpower gamma (- eta) - 1) * (1 - gamma) * Rpower (1 - (1 - gamma) * z) (- (1 + eta))).
  Proof.
    intros Z. assert (Y : 0 < 1 - (1 - gamma) * z) by nra. pose proof denominator as D.
    replace (Rpower (1 - (1 - gamma) * z) (- (1 + eta))) with (Rpower (1 - (1 - gamma) * z) (- eta) / (1 - (1 - gamma) *
      z)).
    2: { rewrite Ropp_plus_distr, Rplus_comm, Rpower_plus, Rpower_Ropp with (y := 1), Rpower_1 by auto. reflexivity. }
    unfold negative_binomial_generating. set (d := Rpower gamma (- eta) - 1) in *. unfold Rpower. auto_derive. lra.
    unfold Rminus in *. field. lra.
  Qed.
  (** $\mathbb EK=\frac{\eta(1-\gamma)}{\gamma(1-\gamma^\eta)}$ *)
  Definition negative_binomial_mean := eta * (1 - gamma) / (gamma * (1 - Rpower gamma eta)).
  Lemma mean_at_one : eta / (Rpower gamma (- eta) - 1) * (1 - gamma) * Rpower gamma (- (1 + eta)) =
    negative_binomial_mean.
  Proof.
    pose proof denominator as D. unfold negative_binomial_mean. rewrite Ropp_plus_distr, Rplus_comm, Rpower_plus.
    rewrite (Rpower_Ropp gamma 1), Rpower_1 by lra. rewrite Rpower_Ropp in *. pose proof (Rpower_pos gamma eta).
    assert (1 - Rpower gamma eta <> 0).
    { intros E. apply D. replace (Rpower gamma eta) with 1 by lra. lra. }
    field. repeat split; lra.
  Qed.
  Lemma mean_of_negative_binomial : has_mean (negative_binomial eta gamma) negative_binomial_mean.
  Proof.
    set (y := 1 - gamma). assert (Y : 0 <= y < 1) by (unfold y; lra). pose proof (rising_radius eta A N) as C.
    assert (C' : CV_radius (PS_derive (rising eta)) = 1) by (now rewrite CV_radius_derive).
    pose proof (rising_slope eta y A N Y) as S. rewrite binomial_series in S by auto.
    pose proof (proj1 (is_pseries_R _ _ _) (is_pseries_incr_1 _ y _ (PSeries_correct _ _ (CV_radius_inside _ _ (inside _
      y C' Y))))) as T.
    apply (series_scaled _ (/ (Rpower gamma (- eta) - 1))) in T.
    replace negative_binomial_mean with (/ (Rpower gamma (- eta) - 1) * scal y (PSeries (PS_derive (rising eta)) y)).
    - revert T. apply is_series_ext. intros k. real. unfold negative_binomial, PS_incr_1, PS_derive.
      destruct k as [ | k]. simpl. unfold zero; simpl. ring. fold y. unfold Rdiv. ring.
    - rewrite <- mean_at_one. unfold scal; simpl; unfold mult; simpl. fold y.
      replace (PSeries (PS_derive (rising eta)) y) with (eta * Rpower (1 - y) (- eta) / (1 - y)) by (rewrite <- S;
        field; lra).
      replace (1 - y) with gamma by (unfold y; ring). rewrite Ropp_plus_distr, Rplus_comm, Rpower_plus.
      rewrite (Rpower_Ropp gamma 1), Rpower_1 by lra. field. split. lra. apply denominator.
  Qed.
End NegativeBinomial.
Theorem negative_binomial_has_mean eta gamma : -1 < eta -> eta <> 0 -> 0 < gamma < 1 ->
  has_mean (negative_binomial eta gamma) (negative_binomial_mean eta gamma).
Proof. apply mean_of_negative_binomial. Qed.

(** ** The logarithmic law *)

Lemma logarithm_series y : 0 <= y < 1 ->
  is_series (fun k => match k with 0%nat => 0 | S _ => y ^ k / INR k end) (- ln (1 - y)).
Proof.
  intros Y. pose (a k := match k with 0%nat => 0 | S _ => / INR k end).
  assert (Da : forall k, PS_derive a k = 1).
  { intros k. unfold PS_derive, a. apply Rinv_r. apply not_0_INR. easy. }
  assert (C' : CV_radius (PS_derive a) = 1).
  { rewrite (CV_radius_ext _ (fun _ => 1)) by apply Da. replace (Finite 1) with (Finite (/ 1)) by (now rewrite Rinv_1).
    apply CV_radius_finite_DAlembert. intros; lra. lra. apply (is_lim_seq_ext (fun _ => 1)). intros _.
    unfold Rdiv. now rewrite Rinv_1, Rmult_1_r, Rabs_R1. apply is_lim_seq_const. }
  assert (C : CV_radius a = 1) by (now rewrite <- CV_radius_derive).
  assert (E : PSeries a y + ln (1 - y) = PSeries a 0 + ln (1 - 0)).
  { apply (same_at_ends (fun x => PSeries a x + ln (1 - x))). lra. intros x X.
    replace 0 with (plus (PSeries (PS_derive a) x) (- / (1 - x))).
    apply (is_derive_plus (PSeries a) (fun x => ln (1 - x))).
    - apply is_derive_PSeries. apply inside; auto. lra.
    - auto_derive. lra. unfold Rminus. field. lra.
    - rewrite (PSeries_ext _ (fun _ => 1)) by apply Da. unfold plus; simpl. unfold PSeries.
      rewrite (Series_ext _ (fun k => x ^ k)) by (intros; ring). rewrite Series_geom by (rewrite Rabs_pos_eq; lra). lra.
        }
  rewrite PSeries_0, Rminus_0_r, ln_1 in E. unfold a in E at 2. replace (- ln (1 - y)) with (PSeries a y) by lra.
  generalize (inside_series a y C Y). apply is_series_ext. intros [ | k]. real. unfold a. ring. real. unfold a, Rdiv.
    ring.
Qed.
Section Logarithmic.
  Variable gamma : R.
  Hypothesis Ga : 0 < gamma < 1.

  Lemma ln_negative : ln gamma < 0.
  Proof. rewrite <- ln_1. apply ln_increasing; lra. Qed.
  Theorem logarithmic_generates : generates (logarithmic gamma) (logarithmic_generating gamma).
  Proof.
    intros z Z. pose proof ln_negative. assert (Y : 0 <= (1 - gamma) * z < 1) by nra.
    pose proof (series_scaled _ (/ - ln gamma) _ (logarithm_series _ Y)) as S. unfold logarithmic_generating.
    replace (ln (1 - (1 - gamma) * z) / ln gamma) with (/ - ln gamma * - ln (1 - (1 - gamma) * z)) by (field; lra).
    revert S. apply is_series_ext. intros [ | k]; real; unfold logarithmic. simpl. ring.
    rewrite Rpow_mult_distr. field. split. lra. apply not_0_INR. easy.
  Qed.
  Theorem logarithmic_is_law : number_of_runs (logarithmic gamma).
  Proof.
    pose proof ln_negative. apply (law_of_generating _ (logarithmic_generating gamma)); [ | apply logarithmic_generates
      | ].
    - intros [ | k]. simpl. lra. unfold logarithmic. apply Rmult_le_pos. apply pow_le. lra. left. apply
      Rinv_0_lt_compat.
      apply Rmult_lt_0_compat. apply lt_0_INR. lia. lra.
    - unfold logarithmic_generating. rewrite Rmult_1_r. replace (1 - (1 - gamma)) with gamma by ring. field. lra.
  Qed.
  Lemma logarithmic_slope z : 0 <= z <= 1 -> is_derive (logarithmic_generating gamma) z
    (/ - ln gamma * (1 - gamma) * / (1 - (1 - gamma) * z)).
  Proof.
    intros Z. pose proof ln_negative. assert (Y : 0 < 1 - (1 - gamma) * z) by nra. unfold logarithmic_generating.
    auto_derive. lra. unfold Rminus in *. field. lra.
  Qed.
  (** $\mathbb EK=\frac{1/\gamma-1}{\ln(1/\gamma)}$ *)
  Definition logarithmic_mean := (1 / gamma - 1) / - ln gamma.
  Lemma mean_of_logarithmic : has_mean (logarithmic gamma) logarithmic_mean.
  Proof.
    pose proof ln_negative. assert (Y : 0 <= 1 - gamma < 1) by lra.
    pose proof (is_series_geom (1 - gamma) ltac:(rewrite Rabs_pos_eq; lra)) as G.
    pose proof (is_series_geom 0 ltac:(rewrite Rabs_R0; lra)) as S0.
    pose proof (series_scaled _ (/ - ln gamma) _ (is_series_minus _ _ _ _ G S0)) as T.
    replace logarithmic_mean with (/ - ln gamma * minus (/ (1 - (1 - gamma))) (/ (1 - 0))).
    - revert T. apply is_series_ext. intros [ | k]; real; unfold logarithmic, minus, plus, opp; simpl minus.
      simpl. ring. simpl opp. rewrite pow_i by lia. change (/ - ln gamma * ((1 - gamma) ^ S k + - 0)
        = INR (S k) * ((1 - gamma) ^ S k / (INR (S k) * - ln gamma))). field. split. lra. apply not_0_INR. easy.
    - unfold logarithmic_mean, minus, plus, opp; simpl. field. lra.
  Qed.
End Logarithmic.
Theorem logarithmic_has_mean gamma : 0 < gamma < 1 -> has_mean (logarithmic gamma) (logarithmic_mean gamma).
Proof. apply mean_of_logarithmic. Qed.
(** $\mathbb EK=m$ *)
Theorem poisson_has_mean m : has_mean (poisson m) m.
Proof.
  pose proof (poisson_generates m 1 ltac:(lra)) as G. unfold poisson_generating in G.
  replace (m * (1 - 1)) with 0 in G by ring. rewrite exp_0 in G. apply (series_scaled _ m) in G. rewrite Rmult_1_r in G.
  apply is_series_decr_1. match goal with |- is_series _ ?v => replace v with m end.
  revert G. apply is_series_ext. intros k. real. unfold poisson. rewrite pow1, fact_simpl, mult_INR. simpl pow.
  field. split. apply INR_fact_neq_0. apply not_0_INR. easy.
  unfold plus, opp; simpl. ring.
Qed.
