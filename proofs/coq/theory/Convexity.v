(** * Inequalities of one and two variables

    Convexity of the exponential, of powers and of x ln x, by their tangents; the two curves behind Hoeffding's lemma and
    behind the zCDP of bounded range; Hoelder's inequality.  Derivatives are Coquelicot's. *)
From Dpref Require Import Finite.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

Lemma ln_below x : 0 < x -> ln x <= x - 1.
Proof. intros H. pose proof (exp_ineq1_le (ln x)). rewrite exp_ln in H0; lra. Qed.
Lemma ln_quotient x y : 0 < x -> 0 < y -> ln (x / y) = ln x - ln y.
Proof. apply ln_div. Qed.
Lemma exp_tangent m x : exp m * (1 + (x - m)) <= exp x.
Proof.
  replace (exp x) with (exp m * exp (x - m)) by (rewrite <- exp_plus; f_equal; ring).
  apply Rmult_le_compat_l. left; apply exp_pos. apply exp_ineq1_le.
Qed.
Lemma exp_convex t x y : 0 <= t <= 1 -> exp ((1 - t) * x + t * y) <= (1 - t) * exp x + t * exp y.
Proof.
  intros T. set (m := (1 - t) * x + t * y). pose proof (exp_tangent m x). pose proof (exp_tangent m y).
  apply Rle_trans with ((1 - t) * (exp m * (1 + (x - m))) + t * (exp m * (1 + (y - m)))). unfold m; right; ring.
  apply Rplus_le_compat; apply Rmult_le_compat_l; lra.
Qed.
Lemma Rpower_pos x y : 0 < Rpower x y.
Proof. apply exp_pos. Qed.
(** Bernoulli's inequality at real exponents. *)
Lemma bernoulli a z : 1 <= a -> 0 < z -> 1 + a * (z - 1) <= Rpower z a.
Proof.
  intros A Z. assert (T : 0 <= / a <= 1).
  { split. left; apply Rinv_0_lt_compat; lra. rewrite <- Rinv_1. apply Rinv_le_contravar; lra. }
  pose proof (exp_convex (/ a) 0 (a * ln z) T) as C. rewrite exp_0, Rmult_0_r, Rplus_0_l in C.
  replace (/ a * (a * ln z)) with (ln z) in C by (field; lra). rewrite exp_ln in C by auto. unfold Rpower.
  apply (Rmult_le_compat_l a) in C; [ | lra]. replace (a * ((1 - / a) * 1 + / a * exp (a * ln z))) with (a - 1 + exp (a * ln z)) in C by (field; lra).
  lra.
Qed.
Lemma Rpower_chord a t x y : 1 <= a -> 0 <= t <= 1 -> 0 < x -> 0 < y ->
  Rpower ((1 - t) * x + t * y) a <= (1 - t) * Rpower x a + t * Rpower y a.
Proof.
  intros A T X Y. set (m := (1 - t) * x + t * y). assert (M : 0 < m) by (unfold m; nra).
  assert (K : forall z, 0 < z -> Rpower m a * (1 + a * (z / m - 1)) <= Rpower z a).
  { intros z Z. replace (Rpower z a) with (Rpower m a * Rpower (z / m) a).
    2: { rewrite Rpower_mult_distr by (auto; apply Rdiv_lt_0_compat; auto). f_equal. field. lra. }
    apply Rmult_le_compat_l. left; apply Rpower_pos. apply bernoulli; auto. apply Rdiv_lt_0_compat; auto. }
  apply Rle_trans with ((1 - t) * (Rpower m a * (1 + a * (x / m - 1))) + t * (Rpower m a * (1 + a * (y / m - 1)))).
  { assert (E : (1 - t) * (x / m) + t * (y / m) = 1).
    { replace ((1 - t) * (x / m) + t * (y / m)) with (((1 - t) * x + t * y) / m) by (field; lra). fold m. field. lra. }
    right. replace ((1 - t) * (Rpower m a * (1 + a * (x / m - 1))) + t * (Rpower m a * (1 + a * (y / m - 1))))
      with (Rpower m a * (1 + a * ((1 - t) * (x / m) + t * (y / m) - 1))) by ring. rewrite E. ring. }
  apply Rplus_le_compat; apply Rmult_le_compat_l; try lra; apply K; auto.
Qed.
(** x ln x lies above its tangents, and below its chords. *)
Lemma entropy_tangent x y : 0 < x -> 0 < y -> x * ln x + (ln x + 1) * (y - x) <= y * ln y.
Proof.
  intros X Y. pose proof (ln_below (x / y) (Rdiv_lt_0_compat _ _ X Y)) as L. rewrite ln_div in L by auto.
  assert (y * (ln x - ln y) <= y * (x / y - 1)) by (apply Rmult_le_compat_l; lra).
  replace (y * (x / y - 1)) with (x - y) in H by (field; lra). lra.
Qed.
Lemma entropy_chord t x y : 0 <= t <= 1 -> 0 < x -> 0 < y ->
  let m := (1 - t) * x + t * y in m * ln m <= (1 - t) * (x * ln x) + t * (y * ln y).
Proof.
  intros T X Y m. assert (M : 0 < m) by (unfold m; nra).
  pose proof (entropy_tangent m x M X) as A. pose proof (entropy_tangent m y M Y) as B.
  apply (Rmult_le_compat_l (1 - t)) in A; [ | lra]. apply (Rmult_le_compat_l t) in B; [ | lra].
  replace (m * ln m) with ((1 - t) * (m * ln m + (ln m + 1) * (x - m)) + t * (m * ln m + (ln m + 1) * (y - m))).
  lra. unfold m. ring.
Qed.

(** ** The logarithm of a two-point generating function *)

(** ln(1 - t + t e^h): its second derivative is u (1 - u) <= 1/4. *)
Definition two_point t h := ln (1 - t + t * exp h).
Definition tilted t h := t * exp h / (1 - t + t * exp h).
Lemma two_point_pos t h : 0 <= t <= 1 -> 0 < 1 - t + t * exp h.
Proof. intros T. pose proof (exp_pos h). destruct (Req_dec t 0) as [-> | N]; nra. Qed.
Lemma two_point_derive t h : 0 <= t <= 1 -> is_derive (fun h => h * h / 8 - two_point t h) h (h / 4 - tilted t h).
Proof.
  intros T. pose proof (two_point_pos t h T). unfold two_point, tilted. auto_derive. lra. field. lra.
Qed.
Lemma tilted_derive t h : 0 <= t <= 1 ->
  is_derive (fun h => h / 4 - tilted t h) h (/ 4 - tilted t h * (1 - tilted t h)).
Proof.
  intros T. pose proof (two_point_pos t h T). unfold tilted. auto_derive. lra. field. lra.
Qed.
Lemma derive_continuous f x d : is_derive f x d -> continuity_pt f x.
Proof. intros H. apply continuity_pt_filterlim. apply (ex_derive_continuous f x). now exists d. Qed.
Lemma mean_value f df a b : (forall x, is_derive f x (df x)) -> a <= b -> exists c, a <= c <= b /\ f b - f a = df c * (b - a).
Proof.
  intros D H. destruct (MVT_gen f a b df) as (c & I & E).
  intros x _. apply D. intros x _. eapply derive_continuous, D.
  rewrite Rmin_left, Rmax_right in I by auto. eauto.
Qed.
Lemma slope_grows t x y : 0 <= t <= 1 -> x <= y -> x / 4 - tilted t x <= y / 4 - tilted t y.
Proof.
  intros T H. destruct (mean_value (fun h => h / 4 - tilted t h) (fun h => / 4 - tilted t h * (1 - tilted t h)) x y
    (fun h => tilted_derive t h T) H) as (c & _ & E).
  assert (0 <= / 4 - tilted t c * (1 - tilted t c)) by (pose proof (pow2_ge_0 (tilted t c - / 2)); nra). nra.
Qed.
Lemma two_point_zero t : two_point t 0 = 0.
Proof. unfold two_point. rewrite exp_0. replace (1 - t + t * 1) with 1 by ring. apply ln_1. Qed.
(** Hoeffding's lemma, for two points. *)
Lemma two_point_hoeffding t h : 0 <= t <= 1 -> two_point t h <= t * h + h * h / 8.
Proof.
  intros T. pose proof (two_point_zero t) as Z. assert (I0 : tilted t 0 = t) by (unfold tilted; rewrite exp_0; field; lra).
  destruct (Rle_lt_dec 0 h) as [H | H].
  - destruct (mean_value _ _ 0 h (fun h => two_point_derive t h T) H) as (c & C & E).
    pose proof (slope_grows t 0 c T (proj1 C)). rewrite I0 in H0. rewrite Z in E. nra.
  - destruct (mean_value _ _ h 0 (fun h => two_point_derive t h T) ltac:(lra)) as (c & C & E).
    pose proof (slope_grows t c 0 T (proj2 C)). rewrite I0 in H0. rewrite Z in E. nra.
Qed.
(** What powers make of two points: with h^2/8 it is convex and vanishes at zero. *)
Lemma two_point_power t a h : 0 <= t <= 1 -> 1 <= a -> 0 <= h ->
  two_point t (a * h) <= a * two_point t h + a * (a - 1) * (h * h) / 8.
Proof.
  intros T A H. pose proof (two_point_zero t) as Z.
  destruct (mean_value _ _ 0 h (fun h => two_point_derive t h T) H) as (c & C & E).
  destruct (mean_value _ _ h (a * h) (fun h => two_point_derive t h T) ltac:(nra)) as (c' & C' & E').
  pose proof (slope_grows t c c' T ltac:(lra)) as S. rewrite Z in E. simpl in *.
  assert ((c / 4 - tilted t c) * ((a - 1) * h) <= (c' / 4 - tilted t c') * ((a - 1) * h)) by (apply Rmult_le_compat_r; nra).
  replace (a * h - h) with ((a - 1) * h) in E' by ring. nra.
Qed.

(** ** Hoelder's inequality, in the form of two exponential bounds *)

Lemma young t A B u v : 0 <= t <= 1 -> 0 < u -> 0 < v ->
  Rpower u t * Rpower v (1 - t) <= exp (t * A + (1 - t) * B) * (t * (u * exp (- A)) + (1 - t) * (v * exp (- B))).
Proof.
  intros T U V. replace (Rpower u t * Rpower v (1 - t)) with (exp (t * A + (1 - t) * B) * exp ((1 - t) * (ln v - B) + t * (ln u - A))).
  2: { unfold Rpower. rewrite <- !exp_plus. f_equal. ring. }
  apply Rmult_le_compat_l. left; apply exp_pos. eapply Rle_trans. now apply exp_convex.
  unfold Rminus. rewrite !exp_plus, !exp_ln by auto. lra.
Qed.
Theorem hoelder {O} (l : list O) t A B (u v w : O -> R) : 0 <= t <= 1 -> (forall o, 0 <= u o) -> (forall o, 0 <= v o) ->
  (forall o, In o l -> w o <= 0 \/ (0 < u o /\ 0 < v o /\ w o <= Rpower (u o) t * Rpower (v o) (1 - t))) ->
  sum_over l u <= exp A -> sum_over l v <= exp B -> sum_over l w <= exp (t * A + (1 - t) * B).
Proof.
  intros T U V W SU SV.
  apply Rle_trans with (sum_over l (fun o => exp (t * A + (1 - t) * B) * (t * exp (- A) * u o + (1 - t) * exp (- B) * v o))).
  - apply sum_le. intros o I. pose proof (exp_pos (t * A + (1 - t) * B)). pose proof (exp_pos (- A)). pose proof (exp_pos (- B)).
    destruct (W o I) as [N | (PU & PV & L)].
    + eapply Rle_trans. apply N. apply Rmult_le_pos. lra. pose proof (U o). pose proof (V o).
      apply Rplus_le_le_0_compat; repeat apply Rmult_le_pos; lra.
    + eapply Rle_trans. apply L. eapply Rle_trans. apply (young t A B); auto. right. ring.
  - rewrite sum_scal, sum_plus, !sum_scal. rewrite <- (Rmult_1_r (exp (t * A + (1 - t) * B))) at 2.
    apply Rmult_le_compat_l. left; apply exp_pos.
    assert (K : forall a, exp (- a) * exp a = 1) by (intros; rewrite <- exp_plus, Rplus_opp_l; apply exp_0).
    pose proof (K A). pose proof (K B). pose proof (exp_pos (- A)). pose proof (exp_pos (- B)).
    assert (t * (exp (- A) * sum_over l u) <= t * (exp (- A) * exp A)).
    { apply Rmult_le_compat_l. lra. apply Rmult_le_compat_l; lra. }
    assert ((1 - t) * (exp (- B) * sum_over l v) <= (1 - t) * (exp (- B) * exp B)).
    { apply Rmult_le_compat_l. lra. apply Rmult_le_compat_l; lra. } nra.
Qed.
