(* The normal density: it integrates to one, its tails in terms of erfc, the Renyi divergence of two normal densities
   of one variance, and hence the exact zCDP constant of the Gaussian mechanism. *)
From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From Dpref Require Import Improper Density Erfc.
Open Scope R_scope.

(* ---------- definitions ---------- *)
Definition normal (mu s x : R) : R := exp (- ((x - mu) * (x - mu) / (2 * (s * s)))) / (s * sqrt (2 * PI)).
Definition normal_cdf (x : R) : R := erfc (- x / sqrt 2) / 2.
(* a real query f plus noise of standard deviation s *)
Definition gaussian_mechanism {D} (f : D -> R) (s : R) (d : D) : R -> R := normal (f d) s.
Definition sensitivity {D} (adj : D -> D -> Prop) (f : D -> R) (Delta : R) : Prop :=
  forall d d', adj d d' -> Rabs (f d - f d') <= Delta.

(* ---------- the density ---------- *)
Lemma sqrt_2_pos : 0 < sqrt 2. Proof. apply sqrt_lt_R0; lra. Qed.
Lemma sqrt_2_square : sqrt 2 * sqrt 2 = 2. Proof. apply sqrt_sqrt; lra. Qed.
Lemma sqrt_2PI : sqrt (2 * PI) = sqrt 2 * sqrt PI. Proof. apply sqrt_mult. lra. left; apply PI_RGT_0. Qed.
Lemma sqrt_2PI_pos : 0 < sqrt (2 * PI). Proof. apply sqrt_lt_R0. pose proof PI_RGT_0. lra. Qed.
Lemma normal_positive mu s x : 0 < s -> 0 < normal mu s x.
Proof.
  intros S. apply Rdiv_lt_0_compat. apply exp_pos. apply Rmult_lt_0_compat; auto. apply sqrt_2PI_pos.
Qed.
Lemma continuous_normal mu s x : 0 < s -> continuous (normal mu s) x.
Proof.
  intros S. apply (ex_derive_continuous (normal mu s)). unfold normal. auto_derive. auto.
Qed.
Lemma integrable_normal mu s : 0 < s -> integrable_on_intervals (normal mu s).
Proof.
  intros S a b. apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros. now apply continuous_normal.
Qed.
Lemma normal_reflect mu s x : normal mu s (- x) = normal (- mu) s x.
Proof. unfold normal. do 4 f_equal. ring. Qed.
Lemma normal_bell mu s x : 0 < s ->
  / sqrt PI * (/ (s * sqrt 2)
    * exp (- ((/ (s * sqrt 2) * x + - mu / (s * sqrt 2)) * (/ (s * sqrt 2) * x + - mu / (s * sqrt 2)))))
  = normal mu s x.
Proof.
  intros S. unfold normal. pose proof sqrt_2_pos. pose proof sqrt_PI_pos.
  replace ((/ (s * sqrt 2) * x + - mu / (s * sqrt 2)) * (/ (s * sqrt 2) * x + - mu / (s * sqrt 2)))
    with ((x - mu) * (x - mu) / (sqrt 2 * sqrt 2 * (s * s))) by (field; lra).
  rewrite sqrt_2_square, sqrt_2PI. field. lra.
Qed.
Theorem normal_integral mu s : 0 < s -> integral (normal mu s) 1.
Proof.
  intros S. pose proof sqrt_2_pos as Q. pose proof sqrt_PI_pos. pose proof (Rmult_lt_0_compat s _ S Q) as U.
  apply (integral_ext _ _ _ (fun x => normal_bell mu s x S)).
  replace 1 with (/ sqrt PI * (/ (s * sqrt 2) * (sqrt PI / / (s * sqrt 2)))) by (field; lra).
  apply integral_scal, integral_scal.
  apply (integral_affine (fun x => exp (- (x * x))) (/ (s * sqrt 2))). now apply Rinv_0_lt_compat.
  exact gaussian_integral.
Qed.
Theorem normal_density mu s : 0 < s -> density (normal mu s).
Proof.
  intros S. split; [ | split]. intros x. left. now apply normal_positive. now apply integrable_normal.
  now apply normal_integral.
Qed.

(* ---------- tails ---------- *)
Theorem normal_above mu s t : 0 < s -> integral_above t (normal mu s) (normal_cdf ((mu - t) / s)).
Proof.
  intros S. pose proof sqrt_2_pos as Q. pose proof sqrt_PI_pos. pose proof (Rmult_lt_0_compat s _ S Q) as U.
  apply (gen_ext _ _ _ (fun x => normal_bell mu s x S)). unfold normal_cdf.
  replace (- ((mu - t) / s) / sqrt 2) with (/ (s * sqrt 2) * t + - mu / (s * sqrt 2)) by (field; lra).
  replace (erfc (/ (s * sqrt 2) * t + - mu / (s * sqrt 2)) / 2)
    with (/ sqrt PI * (sqrt PI / 2 * erfc (/ (s * sqrt 2) * t + - mu / (s * sqrt 2)))) by (field; lra).
  apply gen_scal.
  exact (@gen_affine _ _ _ _ _ _ (fun x => exp (- (x * x))) _ _ _ (affine_at_point _ _ t)
    (affine_at_plus_infinity _ _ (Rinv_0_lt_compat _ U)) (gaussian_integral_above _)).
Qed.
Theorem normal_below mu s t : 0 < s -> integral_below t (normal mu s) (normal_cdf ((t - mu) / s)).
Proof.
  intros S. pose proof sqrt_2_pos as Q. pose proof sqrt_PI_pos. pose proof (Rmult_lt_0_compat s _ S Q) as U.
  apply (gen_ext _ _ _ (fun x => normal_bell mu s x S)). unfold normal_cdf.
  replace (- ((t - mu) / s) / sqrt 2) with (- (/ (s * sqrt 2) * t + - mu / (s * sqrt 2))) by (field; lra).
  replace (erfc (- (/ (s * sqrt 2) * t + - mu / (s * sqrt 2))) / 2)
    with (/ sqrt PI * (sqrt PI / 2 * erfc (- (/ (s * sqrt 2) * t + - mu / (s * sqrt 2))))) by (field; lra).
  apply gen_scal.
  exact (@gen_affine _ _ _ _ _ _ (fun x => exp (- (x * x))) _ _ _
    (affine_at_minus_infinity _ _ (Rinv_0_lt_compat _ U)) (affine_at_point _ _ t) (gaussian_integral_below _)).
Qed.
Corollary normal_beyond mu s t : 0 < s -> probability (normal mu s) (beyond t) (normal_cdf ((mu - t) / s)).
Proof. intros S. now apply probability_beyond, normal_above. Qed.
Corollary normal_before mu s t : 0 < s -> probability (normal mu s) (before t) (normal_cdf ((t - mu) / s)).
Proof. intros S. now apply probability_before, normal_below. Qed.

(* ---------- Renyi divergence and zCDP ---------- *)
Lemma normal_ratio mu nu s x : 0 < s ->
  normal mu s x / normal nu s x = exp ((mu - nu) * (2 * x - mu - nu) / (2 * (s * s))).
Proof.
  intros S. unfold normal. pose proof sqrt_2PI_pos.
  replace ((mu - nu) * (2 * x - mu - nu) / (2 * (s * s)))
    with (- ((x - mu) * (x - mu) / (2 * (s * s))) - - ((x - nu) * (x - nu) / (2 * (s * s)))) by (field; lra).
  assert (E : forall u v, exp (u - v) = exp u / exp v) by (intros; unfold Rminus; now rewrite exp_plus, exp_Ropp).
  rewrite E. pose proof (exp_pos (- ((x - nu) * (x - nu) / (2 * (s * s))))). field. lra.
Qed.
(* completing the square *)
Lemma normal_mixture a mu nu s x : 0 < s ->
  exp ((a - 1) * (a * (mu - nu) ^ 2 / (2 * (s * s)))) * normal (a * mu + (1 - a) * nu) s x
  = normal mu s x * Rpower (normal mu s x / normal nu s x) (a - 1).
Proof.
  intros S. rewrite normal_ratio by auto. unfold Rpower. rewrite ln_exp. unfold normal, Rdiv.
  set (c := / (s * sqrt (2 * PI))).
  assert (R : forall u v, exp u * (exp v * c) = exp (u + v) * c) by (intros; rewrite exp_plus; ring).
  assert (L : forall u v, exp v * c * exp u = exp (u + v) * c) by (intros; rewrite exp_plus; ring).
  rewrite R, L. f_equal. f_equal. field. lra.
Qed.
Theorem normal_renyi a mu nu s : 0 < s ->
  line_renyi a (normal mu s) (normal nu s) (a * (mu - nu) ^ 2 / (2 * (s * s))).
Proof.
  intros S. unfold line_renyi, line_moment.
  apply (integral_ext _ _ _ (fun x => normal_mixture a mu nu s x S)).
  rewrite <- Rmult_1_r. apply integral_scal. now apply normal_integral.
Qed.
Lemma renyi_unique a p q r r' : a <> 1 -> line_renyi a p q r -> line_renyi a p q r' -> r = r'.
Proof.
  intros A H K. pose proof (integral_unique _ _ _ H K) as E. apply exp_inv in E.
  apply (Rmult_eq_reg_l (a - 1)); auto. lra.
Qed.
Theorem gaussian_zCDP {D} (adj : D -> D -> Prop) f Delta s : 0 < s -> sensitivity adj f Delta ->
  line_zCDP adj (Delta ^ 2 / (2 * (s * s))) (gaussian_mechanism f s).
Proof.
  intros S L d d' a A a1. exists (a * (f d - f d') ^ 2 / (2 * (s * s))). split. now apply normal_renyi.
  unfold Rdiv. rewrite !Rmult_assoc. apply Rmult_le_compat_l. lra. apply Rmult_le_compat_r.
  left. apply Rinv_0_lt_compat. nra. rewrite <- (pow2_abs (f d - f d')). apply pow_incr. split.
  apply Rabs_pos. now apply L.
Qed.
(* no smaller constant: at one pair of neighbours whose answers are Delta apart *)
Theorem gaussian_zCDP_least {D} (adj : D -> D -> Prop) f Delta s rho d d' : 0 < s -> adj d d' ->
  Rabs (f d - f d') = Delta -> line_zCDP adj rho (gaussian_mechanism f s) -> Delta ^ 2 / (2 * (s * s)) <= rho.
Proof.
  intros S A E Z. destruct (Z d d' 2 A ltac:(lra)) as (r & H & L).
  pose proof (renyi_unique 2 _ _ _ _ ltac:(lra) H (normal_renyi 2 (f d) (f d') s S)) as R.
  rewrite <- E, pow2_abs. rewrite R in L. unfold Rdiv in *. lra.
Qed.
