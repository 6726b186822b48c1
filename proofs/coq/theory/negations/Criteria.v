(** * When two normal laws refute a privacy statement

    [shift_refutes]: mean gap against standard deviation, at given epsilon and delta.  [large_epsilon]: noise that
    shrinks like 1 / epsilon is too small for every large epsilon.  [far_tail]: at large orders the Renyi divergence
    of two normal laws is seen far out in the tail, also through a mixture, hence no rho below gap^2 / (2 s^2). *)
From Coq Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From Dpref Require Import Improper Density Erfc Gaussian.
From Dpref.negations Require Import Laws HalfLines.
Open Scope R_scope.

(** ** Tails *)

Lemma normal_cdf_upper x : 0 <= x -> normal_cdf (- x) <= exp (- (x * x / 2)) / 2.
Proof.
  intros H. unfold normal_cdf. pose proof sqrt_2_pos as S.
  pose proof (erfc_le_exp (- - x / sqrt 2) ltac:(rewrite Ropp_involutive; apply Rdiv_le_0_compat; lra)) as B.
  replace (- - x / sqrt 2 * (- - x / sqrt 2)) with (x * x / (sqrt 2 * sqrt 2)) in B by (field; lra).
  rewrite sqrt_2_square in B. lra.
Qed.
Lemma normal_cdf_lower x : 1 <= x -> exp (- (x * x / 2)) / (12 * x) <= normal_cdf (- x).
Proof.
  intros H. unfold normal_cdf. pose proof sqrt_2_pos as S. pose proof sqrt_2_square as S2.
  pose proof (erfc_mills_lower (x / sqrt 2) ltac:(apply Rdiv_le_0_compat; lra)) as B.
  replace (- - x / sqrt 2) with (x / sqrt 2) by (unfold Rdiv; ring).
  replace (x / sqrt 2 * (x / sqrt 2)) with (x * x / (sqrt 2 * sqrt 2)) in B by (field; lra). rewrite S2 in B.
  apply Rle_trans with (exp (- (x * x / 2)) * (2 * (x / sqrt 2) / (2 * (x * x / 2) + 1)) / sqrt PI / 2). 2: lra.
  pose proof sqrt_PI_pos as P0. assert (P : sqrt PI <= 2).
  { rewrite <- (sqrt_square 2) by lra. apply sqrt_le_1_alt. pose proof PI_4. lra. }
  assert (S3 : sqrt 2 <= 3 / 2). { rewrite <- (sqrt_square (3 / 2)) by lra. apply sqrt_le_1_alt. lra. }
  replace (exp (- (x * x / 2)) * (2 * (x / sqrt 2) / (2 * (x * x / 2) + 1)) / sqrt PI / 2)
    with (exp (- (x * x / 2)) * (x / (sqrt 2 * sqrt PI * (x * x + 1)))) by (field; nra).
  unfold Rdiv at 1. apply Rmult_le_compat_l. left; apply exp_pos.
  assert (0 < sqrt 2 * sqrt PI) by nra. assert (sqrt 2 * sqrt PI <= 3) by nra.
  apply (Rmult_le_reg_r (12 * x)). lra. rewrite Rinv_l by lra.
  apply (Rmult_le_reg_r (sqrt 2 * sqrt PI * (x * x + 1))). nra.
  replace (x / (sqrt 2 * sqrt PI * (x * x + 1)) * (12 * x) * (sqrt 2 * sqrt PI * (x * x + 1))) with (12 * (x * x))
    by (field; nra). nra.
Qed.

(** ** (epsilon, delta) *)

(** The event: the half line on the far side of the mean c, moved by u standard deviations towards the other mean. *)
Theorem shift_refutes eps del m m' c c' s u : 0 < s -> normal_tails m c s -> normal_tails m' c' s ->
  u * s <= Rabs (c - c') -> exp eps * (exp (- ((Rabs (c - c') / s - u) * (Rabs (c - c') / s - u) / 2)) / 2) + del
    < normal_cdf u -> ~ law_close eps del m m'.
Proof.
  intros S H H' U L C. set (g := Rabs (c - c') / s) in *.
  assert (G : 0 <= g - u). { enough (u <= g) by lra. unfold g. apply (Rmult_le_reg_r s); auto. unfold Rdiv.
    rewrite Rmult_assoc, Rinv_l by lra. lra. }
  pose proof (normal_cdf_upper _ G) as B. pose proof (exp_pos eps) as X.
  assert (T : exp eps * normal_cdf (- (g - u)) + del < normal_cdf u).
  { apply Rle_lt_trans with (2 := L). apply Rplus_le_compat_r, Rmult_le_compat_l; lra. }
  unfold g, Rabs in T. destruct (Rcase_abs (c - c')).
  - destruct (H (c + u * s)) as [_ P]. destruct (H' (c + u * s)) as [_ Q]. specialize (C _ _ _ P Q).
    replace ((c - (c + u * s)) / s) with (- u) in C by (field; lra).
    replace ((c' - (c + u * s)) / s) with (- (c - c') / s - u) in C by (field; lra).
    rewrite normal_cdf_opp in C. rewrite normal_cdf_opp in T. lra.
  - destruct (H (c - u * s)) as [P _]. destruct (H' (c - u * s)) as [Q _]. specialize (C _ _ _ P Q).
    replace ((c - (c - u * s)) / s) with u in C by (field; lra).
    replace ((c' - (c - u * s)) / s) with (- ((c - c') / s - u)) in C by (field; lra). lra.
Qed.
(** From the mean itself: one half against at most exp (- gap^2 / 2) / 2. *)
Corollary gap_refutes eps del m m' c c' s : 0 < s -> normal_tails m c s -> normal_tails m' c' s -> del <= 1 / 4 ->
  eps + 1 <= (c - c') * (c - c') / (2 * (s * s)) -> ~ law_close eps del m m'.
Proof.
  intros S H H' D G. apply (shift_refutes eps del m m' c c' s 0 S H H').
  rewrite Rmult_0_l. apply Rabs_pos. rewrite Rminus_0_r, normal_cdf_0.
  replace (Rabs (c - c') / s * (Rabs (c - c') / s) / 2) with ((c - c') * (c - c') / (2 * (s * s))).
  2: { unfold Rabs. destruct (Rcase_abs (c - c')); field; lra. }
  set (X := (c - c') * (c - c') / (2 * (s * s))) in *.
  replace (exp eps * (exp (- X) / 2)) with (exp (eps + - X) / 2) by (rewrite exp_plus; field).
  assert (E : exp (eps + - X) < / 2).
  { apply Rle_lt_trans with (exp (- (1))). apply exp_le. lra. rewrite exp_Ropp. apply Rinv_lt_contravar.
    pose proof (exp_pos 1). lra. pose proof (exp_ineq1 1 ltac:(lra)). lra. }
  lra.
Qed.

Lemma normal_cdf_reaches p : p < 1 -> exists u, 0 <= u /\ p < normal_cdf u.
Proof.
  intros H. destruct (Rle_dec p (1 / 4)) as [h | h].
  { exists 0. rewrite normal_cdf_0. lra. }
  exists (- 2 * ln (1 - p)). assert (L : ln (1 - p) < 0). { rewrite <- ln_1. apply ln_increasing; lra. }
  split. lra. set (x := - 2 * ln (1 - p)). assert (X : 0 < x) by (unfold x; lra).
  pose proof (normal_cdf_upper x ltac:(lra)) as B. rewrite normal_cdf_opp in B.
  assert (E : exp (- (x * x / 2)) < 2 * (1 - p)).
  { apply Rle_lt_trans with (exp (- (x / 2 - 1 / 8))). apply exp_le.
    pose proof (Rle_0_sqr (x - 1 / 2)) as Q. unfold Rsqr in Q. lra.
    replace (- (x / 2 - 1 / 8)) with (1 / 8 + ln (1 - p)) by (unfold x; field). rewrite exp_plus, exp_ln by lra.
    apply Rmult_lt_compat_r. lra. apply Rlt_trans with (exp (1 / 2)). apply exp_increasing; lra.
    apply (Rsqr_incrst_0 (exp (1 / 2)) 2); try (left; apply exp_pos); try lra. unfold Rsqr. rewrite <- exp_plus.
    replace (1 / 2 + 1 / 2) with 1 by field. pose proof exp_le_3. lra. }
  lra.
Qed.
(** From E on every epsilon fails where the gap is at least k epsilon standard deviations. *)
Definition fails_from del k E : Prop := forall eps m m' c c' s, E <= eps -> 0 < s ->
  normal_tails m c s -> normal_tails m' c' s -> k * eps * s <= Rabs (c - c') -> ~ law_close eps del m m'.
(** In numbers, for delta up to 1/4: at k = 1 / sqrt l from 1 + 4 l on. *)
Lemma fails_from_root del l : del <= 1 / 4 -> 0 < l -> fails_from del (1 / sqrt l) (1 + 4 * l).
Proof.
  intros D L eps m m' c c' s G S H H' B. apply (gap_refutes eps del m m' c c' s S H H' D).
  pose proof (sqrt_lt_R0 l L) as R0. pose proof (sqrt_sqrt l ltac:(lra)) as R2.
  apply (Rmult_le_reg_r (2 * (s * s) * l)). repeat apply Rmult_lt_0_compat; lra.
  replace ((c - c') * (c - c') / (2 * (s * s)) * (2 * (s * s) * l)) with (Rabs (c - c') * sqrt l * (Rabs (c - c') * sqrt l)).
  2: { transitivity (Rabs (c - c') * Rabs (c - c') * (sqrt l * sqrt l)). ring. rewrite R2, <- Rabs_mult, Rabs_pos_eq.
       field. lra. apply Rle_0_sqr. }
  assert (E : eps * s <= Rabs (c - c') * sqrt l).
  { apply (Rmult_le_compat_r (sqrt l)) in B; [ | lra]. replace (1 / sqrt l * eps * s * sqrt l) with (eps * s) in B by (field; lra).
    exact B. }
  assert (P : 0 <= eps * s) by (apply Rmult_le_pos; lra).
  apply Rle_trans with (eps * s * (eps * s)). 2: apply Rmult_le_compat; lra.
  replace (eps * s * (eps * s)) with (s * s * (eps * eps)) by ring.
  replace ((eps + 1) * (2 * (s * s) * l)) with (s * s * (2 * l * (eps + 1))) by ring.
  assert (4 * l * eps <= eps * eps) by (apply Rmult_le_compat_r; lra).
  assert (l * 1 <= l * eps) by (apply Rmult_le_compat_l; lra). apply Rmult_le_compat_l. apply Rle_0_sqr. lra.
Qed.
(** Where the gap is at least k epsilon standard deviations, large epsilon fail, whatever delta < 1 is. *)
Theorem large_epsilon del k : del < 1 -> 0 < k -> exists E, 0 < E /\ forall eps m m' c c' s, E <= eps -> 0 < s ->
  normal_tails m c s -> normal_tails m' c' s -> k * eps * s <= Rabs (c - c') -> ~ law_close eps del m m'.
Proof.
  intros D K. destruct (normal_cdf_reaches ((1 + del) / 2) ltac:(lra)) as (u & U & P).
  pose (t := - ln (1 - del)). set (E := (2 * (1 + Rabs t) + 2 * u * k) / (k * k) + 1).
  exists E.
  assert (k2 : 0 < k * k) by nra. pose proof (Rabs_pos t) as At. pose proof (Rle_abs t) as Lt.
  assert (E1 : 1 <= E). { enough (0 <= (2 * (1 + Rabs t) + 2 * u * k) / (k * k)) by (unfold E; lra). apply Rdiv_le_0_compat; nra. }
  split. lra.
  intros eps m m' c c' s G S H H' L.
  assert (Ek : 2 * (1 + Rabs t) + 2 * u * k <= k * k * eps).
  { apply Rle_trans with (k * k * (E - 1)). unfold E.
    right. field. lra. apply Rmult_le_compat_l; lra. }
  set (g := Rabs (c - c') / s).
  assert (g1 : k * eps <= g). { unfold g. apply (Rmult_le_reg_r s); auto. replace (Rabs (c - c') / s * s) with (Rabs (c - c')) by (field; lra). lra. }
  assert (ku : u <= k * eps). { apply (Rmult_le_reg_l k); auto. nra. }
  apply (shift_refutes eps del m m' c c' s u S H H').
  { apply Rle_trans with (2 := L). apply Rmult_le_compat_r; lra. }
  fold g. apply Rle_lt_trans with (2 := P).
  assert (B : exp eps * exp (- ((g - u) * (g - u) / 2)) <= 1 - del).
  { rewrite <- exp_plus. apply Rle_trans with (exp (- t)). 2: { unfold t. rewrite Ropp_involutive, exp_ln; lra. }
    apply exp_le. enough (2 * eps + 2 * t <= (g - u) * (g - u)) by lra.
    apply Rle_trans with ((k * eps - u) * (k * eps - u)). 2: { apply Rmult_le_compat; lra. }
    assert (eps * (2 * (1 + Rabs t)) <= eps * (k * k * eps - 2 * u * k)) by (apply Rmult_le_compat_l; lra).
    assert (Rabs t <= eps * Rabs t) by (rewrite <- (Rmult_1_l (Rabs t)) at 1; apply Rmult_le_compat_r; lra).
    nra. }
  lra.
Qed.

(** ** zCDP *)

(** Far out, at the half line that starts a standardised gap mu times the order a beyond the second mean. *)
Theorem far_tail q mu rho : 0 < q <= 1 -> 0 < mu -> rho < mu * mu / 2 -> exists a, 1 < a /\
  (a - 1) * (rho * a) < a * ln (q * normal_cdf (- ((a - 1) * mu))) + (1 - a) * ln (normal_cdf (- (a * mu))).
Proof.
  intros Q M H. set (k := mu * mu / 2 - rho). assert (k0 : 0 < k) by (unfold k; lra).
  set (z := 12 / q). assert (z1 : 12 <= z).
  { unfold z. apply (Rmult_le_reg_r q). lra. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  (* b = a - 1 with b mu >= 1 and k b >= 2 sqrt (z b mu) *)
  set (b := 1 / mu + 4 * (z * mu) / (k * k) + 1).
  assert (b1 : 1 / mu < b /\ 4 * (z * mu) / (k * k) < b /\ 0 < b).
  { assert (0 < 1 / mu) by (apply Rdiv_lt_0_compat; lra).
    assert (0 < 4 * (z * mu) / (k * k)) by (apply Rdiv_lt_0_compat; nra). unfold b. lra. }
  destruct b1 as (b1 & b2 & b0).
  assert (x1 : 1 <= b * mu).
  { replace 1 with (1 / mu * mu) by (field; lra). apply Rmult_le_compat_r; lra. }
  exists (b + 1). split. lra. replace (b + 1 - 1) with b by ring. replace (1 - (b + 1)) with (- b) by ring.
  pose proof (normal_cdf_lower (b * mu) x1) as P. pose proof (normal_cdf_upper ((b + 1) * mu) ltac:(nra)) as U.
  pose proof (normal_cdf_bounds (- (b * mu))) as NP. pose proof (normal_cdf_bounds (- ((b + 1) * mu))) as NU.
  assert (LP : - (b * mu * (b * mu) / 2) - ln (z * (b * mu)) <= ln (q * normal_cdf (- (b * mu)))).
  { assert (zb : 0 < z * (b * mu)) by nra.
    replace (- (b * mu * (b * mu) / 2) - ln (z * (b * mu))) with (ln (exp (- (b * mu * (b * mu) / 2)) / (z * (b * mu)))).
    2: { rewrite ln_div, ln_exp; auto. apply exp_pos. }
    apply ln_le. apply Rdiv_lt_0_compat; auto. apply exp_pos.
    replace (exp (- (b * mu * (b * mu) / 2)) / (z * (b * mu))) with (q * (exp (- (b * mu * (b * mu) / 2)) / (12 * (b * mu))))
      by (unfold z; field; lra). apply Rmult_le_compat_l; lra. }
  assert (LU : ln (normal_cdf (- ((b + 1) * mu))) <= - ((b + 1) * mu * ((b + 1) * mu) / 2)).
  { rewrite <- (ln_exp (- ((b + 1) * mu * ((b + 1) * mu) / 2))). apply ln_le. lra.
    pose proof (exp_pos (- ((b + 1) * mu * ((b + 1) * mu) / 2))). lra. }
  assert (LZ : ln (z * (b * mu)) < b * k).
  { set (y := z * (b * mu)). assert (y0 : 0 < y) by (unfold y; nra). pose proof (sqrt_lt_R0 y y0) as r0.
    pose proof (sqrt_sqrt y ltac:(lra)) as r2.
    apply Rle_lt_trans with (2 * sqrt y).
    - rewrite <- r2 at 1. rewrite ln_mult by auto.
      pose proof (exp_ineq1_le (ln (sqrt y))) as X. rewrite exp_ln in X by auto. lra.
    - apply Rsqr_incrst_0; try nra. unfold Rsqr.
      replace (2 * sqrt y * (2 * sqrt y)) with (4 * (sqrt y * sqrt y)) by ring. rewrite r2. unfold y.
      apply (Rmult_lt_compat_r (k * k)) in b2. 2: nra.
      replace (4 * (z * mu) / (k * k) * (k * k)) with (4 * (z * mu)) in b2 by (field; lra). nra. }
  apply Rlt_le_trans with ((b + 1) * (- (b * mu * (b * mu) / 2) - ln (z * (b * mu)))
    + b * ((b + 1) * mu * ((b + 1) * mu) / 2)).
  - replace ((b + 1) * (- (b * mu * (b * mu) / 2) - ln (z * (b * mu))) + b * ((b + 1) * mu * ((b + 1) * mu) / 2))
      with ((b + 1) * (b * (mu * mu / 2) - ln (z * (b * mu)))) by field.
    replace (b * (rho * (b + 1))) with ((b + 1) * (b * rho)) by ring. apply Rmult_lt_compat_l. lra. unfold k in LZ. lra.
  - apply Rplus_le_compat. apply Rmult_le_compat_l; lra.
    replace (- b * ln (normal_cdf (- ((b + 1) * mu)))) with (b * - ln (normal_cdf (- ((b + 1) * mu)))) by ring.
    apply Rmult_le_compat_l; lra.
Qed.
(** No rho below (c - c')^2 / (2 s^2): the exact constant of the Gaussian mechanism. *)
Theorem shift_refutes_concentrated {D} (neighbours : D -> D -> Prop) rho (M : D -> law R) d d' c c' s :
  neighbours d d' -> 0 < s -> normal_tails (M d) c s -> normal_tails (M d') c' s -> c' < c ->
  rho < (c - c') * (c - c') / (2 * (s * s)) -> ~ concentrated neighbours rho M.
Proof.
  intros N S H H' L G. set (mu := (c - c') / s). assert (M0 : 0 < mu) by (apply Rdiv_lt_0_compat; lra).
  destruct (far_tail 1 mu rho ltac:(lra) M0) as (a & A & B).
  { replace (mu * mu / 2) with ((c - c') * (c - c') / (2 * (s * s))) by (unfold mu; field; lra). exact G. }
  rewrite Rmult_1_l in B. destruct (H (c' + a * mu * s)) as [P P']. destruct (H' (c' + a * mu * s)) as [Q Q'].
  replace ((c - (c' + a * mu * s)) / s) with (- ((a - 1) * mu)) in P, P' by (unfold mu; field; lra).
  replace ((c' - (c' + a * mu * s)) / s) with (- (a * mu)) in Q, Q' by (field; lra).
  apply (event_refutes_concentrated neighbours rho M d d' a _ _ _ _ _ N A P Q P' Q'); auto; try apply normal_cdf_bounds.
  pose proof (normal_cdf_bounds (- ((a - 1) * mu))). lra.
Qed.
