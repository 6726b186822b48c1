(** * Differentially private empirical risk minimization revisited: Definition 3.4, Theorem 6.1, Theorem 5.3

    Neighbours differ in one record (replace-one); parameters on the real line (p = 1); the universe of records, the
    losses and the data are the statements' own variables, so that a false instance makes the statement false.

    Definition 3.4 [definition_3_4]: a query of sensitivity Delta plus normal noise of standard deviation at least
    sqrt (2 ln (1.25 / delta)) Delta / epsilon is (epsilon, delta)-private; no bound on epsilon is printed.
    Theorem 6.1 [theorem_6_1]: DP-GD (Algorithm 4) with sigma^2 = c G^2 T ln (1 / delta) / (n^2 epsilon^2), for some
    constant c, is (epsilon, delta)-private for epsilon, delta > 0.
    Theorem 5.3 [theorem_5_3]: the same of DP-AccMD (Algorithm 3), whose line 6 uses the exact gradient. *)
From Coq Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From Dpref Require Import Improper Density Erfc Gaussian.
From Dpref Require Finite.
From Dpref.negations Require Import Laws HalfLines Criteria Losses.
Import ListNotations.
Open Scope R_scope.

Lemma log_positive del : 0 < del < 1 -> 0 < ln (1 / del).
Proof. intros H. rewrite ln_div by lra. rewrite ln_1. assert (ln del < 0). { rewrite <- ln_1. apply ln_increasing; lra. } lra. Qed.

(** ** Definition 3.4 *)

Definition definition_3_4 : Prop := forall (D : Type) (neighbours : D -> D -> Prop) (q : D -> R) Delta sigma eps del,
  sensitivity neighbours q Delta -> 0 < Delta -> 0 < eps -> 0 < del < 1 ->
  sqrt (2 * ln (125 / 100 / del)) * Delta / eps <= sigma ->
  private neighbours eps del (fun d => y <- gaussian 0 sigma; point (q d + y)).

Lemma bit_normal_tails sigma b : 0 < sigma -> normal_tails (y <- gaussian 0 sigma; point (bit_query b + y)) (bit_query b) sigma.
Proof.
  intros S. apply (normal_tails_ext (y <- gaussian 0 sigma; point (bit_query b + 1 * y)) _ (bit_query b) (Rabs 1 * sigma)).
  - intros f v (h & H & I). exists h. split; auto. intros z. rewrite <- (H z). unfold point. f_equal. ring.
  - reflexivity.
  - rewrite Rabs_R1. ring.
  - apply affine_normal_tails; lra.
Qed.
(** For every delta below one it fails at every large epsilon. *)
Theorem classical_calibration_fails del : 0 < del < 1 -> exists E, 0 < E /\ forall eps, E <= eps ->
  ~ private other_bit eps del (fun b => y <- gaussian 0 (sqrt (2 * ln (125 / 100 / del)) * 1 / eps); point (bit_query b + y)).
Proof.
  intros D. assert (L : 0 < sqrt (2 * ln (125 / 100 / del))).
  { apply sqrt_lt_R0. assert (0 < ln (125 / 100 / del)). { rewrite <- ln_1. apply ln_increasing. lra.
    apply (Rmult_lt_reg_r del). lra. unfold Rdiv. rewrite (Rmult_assoc _ (/ del)), Rinv_l; lra. } lra. }
  destruct (large_epsilon del (/ sqrt (2 * ln (125 / 100 / del))) ltac:(lra) (Rinv_0_lt_compat _ L)) as (E & E0 & H).
  exists E. split; auto. intros eps G P. assert (S : 0 < sqrt (2 * ln (125 / 100 / del)) * 1 / eps).
  { apply Rdiv_lt_0_compat; lra. }
  refine (H eps _ _ _ _ _ G S (bit_normal_tails _ true S) (bit_normal_tails _ false S) _ (P true false _)).
  - unfold bit_query. rewrite Rminus_0_r, Rabs_R1. right. field. lra.
  - discriminate.
Qed.
Theorem gaussian_mechanism_is_not_private_for_every_epsilon : ~ definition_3_4.
Proof.
  intros H. destruct (classical_calibration_fails (1 / 2) ltac:(lra)) as (E & E0 & F). apply (F E ltac:(lra)).
  apply (H bool other_bit bit_query 1); try lra. apply bit_sensitivity.
Qed.

(** ** Theorem 6.1 *)

Definition equation_11 (c G : R) (T n : nat) (eps del : R) : R :=
  sqrt (c * (G * G) * INR T * ln (1 / del) / (INR n * INR n * (eps * eps))).
Definition theorem_6_1 (c : R) : Prop := forall (X : Type) (f g : X -> R -> R) G L eta T n x0 eps del,
  differentiable f g -> lipschitz f G -> smooth g L -> 0 < G -> 0 < L -> 0 < eta <= 1 / L ->
  (1 <= T)%nat -> (1 <= n)%nat -> 0 < eps -> 0 < del < 1 ->
  private (neighbours_of_size n) eps del
    (fun data => descent (fun x => mean (fun z => g z x) data) eta (equation_11 c G T n eps del) T x0).

Lemma equation_11_value c G T n eps del : 0 < c -> 0 < G -> (1 <= n)%nat -> 0 < eps -> 0 < del < 1 ->
  equation_11 c G T n eps del = sqrt (c * ln (1 / del)) * G * sqrt (INR T) / (INR n * eps).
Proof.
  intros C G0 N E D. pose proof (log_positive del D) as L. pose proof (INR_pos n N) as N0. unfold equation_11.
  pose proof (sqrt_sqrt (c * ln (1 / del)) ltac:(nra)) as S1. pose proof (sqrt_sqrt (INR T) (pos_INR T)) as S2.
  replace (c * (G * G) * INR T * ln (1 / del) / (INR n * INR n * (eps * eps)))
    with (sqrt (c * ln (1 / del)) * G * sqrt (INR T) / (INR n * eps) * (sqrt (c * ln (1 / del)) * G * sqrt (INR T) / (INR n * eps))).
  - apply sqrt_square. apply Rdiv_le_0_compat. 2: nra. repeat apply Rmult_le_pos; try lra; apply sqrt_pos.
  - replace (sqrt (c * ln (1 / del)) * G * sqrt (INR T) / (INR n * eps) * (sqrt (c * ln (1 / del)) * G * sqrt (INR T) / (INR n * eps)))
      with ((sqrt (c * ln (1 / del)) * sqrt (c * ln (1 / del))) * (sqrt (INR T) * sqrt (INR T)) * (G * G)
        / (INR n * INR n * (eps * eps))) by (field; lra). rewrite S1, S2. field. lra.
Qed.
(** The two outputs on the linear loss: normal on half lines, T eta 2 G / n apart, standard deviation eta sigma sqrt T. *)
Lemma descent_on_signs n G eta sigma T x0 : (1 <= n)%nat -> 0 < eta -> 0 < sigma ->
  normal_tails (descent (fun x => mean (fun z => linear_slope G z x) (all_plus n)) eta sigma (S T) x0)
    (x0 - INR (S T) * (eta * G)) (eta * sigma * sqrt (INR (S T))) /\
  normal_tails (descent (fun x => mean (fun z => linear_slope G z x) (one_minus n)) eta sigma (S T) x0)
    (x0 - INR (S T) * (eta * (G - 2 * G / INR n))) (eta * sigma * sqrt (INR (S T))).
Proof.
  intros N E S. split; apply descent_normal_tails; auto; intros x. now apply mean_all_plus. now apply mean_one_minus.
Qed.
Theorem gradient_descent_fails c del : 0 < c -> 0 < del < 1 -> exists E, 0 < E /\ forall eps G eta T n x0,
  E <= eps -> 0 < G -> 0 < eta -> (1 <= T)%nat -> (1 <= n)%nat ->
  ~ private (neighbours_of_size n) eps del
    (fun data => descent (fun x => mean (fun z => linear_slope G z x) data) eta (equation_11 c G T n eps del) T x0).
Proof.
  intros C D. pose proof (log_positive del D) as L. assert (S : 0 < sqrt (c * ln (1 / del))) by (apply sqrt_lt_R0; nra).
  destruct (large_epsilon del (2 / sqrt (c * ln (1 / del))) ltac:(lra) (Rdiv_lt_0_compat 2 _ ltac:(lra) S)) as (E & E0 & H).
  exists E. split; auto. intros eps G eta T n x0 GE G0 eta0 T1 N P. destruct T as [ | T]. lia.
  pose proof (INR_pos n N) as N0. pose proof (INR_pos (Datatypes.S T) T1) as T0. pose proof (sqrt_lt_R0 _ T0) as Q.
  pose proof (sqrt_sqrt (INR (Datatypes.S T)) ltac:(lra)) as QQ.
  pose proof (equation_11_value c G (Datatypes.S T) n eps del C G0 N ltac:(lra) D) as V.
  set (sigma := equation_11 c G (Datatypes.S T) n eps del) in *.
  assert (S0 : 0 < sigma). { rewrite V. apply Rdiv_lt_0_compat. 2: nra. repeat apply Rmult_lt_0_compat; auto. }
  destruct (descent_on_signs n G eta sigma T x0 N eta0 S0) as [A B].
  refine (H eps _ _ _ _ _ GE _ A B _ (P _ _ (witnesses n N))).
  - repeat apply Rmult_lt_0_compat; auto.
  - replace (x0 - INR (Datatypes.S T) * (eta * G) - (x0 - INR (Datatypes.S T) * (eta * (G - 2 * G / INR n))))
      with (- (2 * G / INR n * eta * INR (Datatypes.S T))) by (field; lra). rewrite Rabs_Ropp, Rabs_pos_eq.
    + right. rewrite V. set (q := sqrt (INR (Datatypes.S T))) in *. rewrite <- QQ. field. lra.
    + left. apply Rmult_lt_0_compat; auto. apply Rmult_lt_0_compat; auto. apply Rdiv_lt_0_compat; lra.
Qed.
Theorem gradient_descent_is_not_private_for_every_epsilon : ~ exists c, 0 < c /\ theorem_6_1 c.
Proof.
  intros (c & C & H). destruct (gradient_descent_fails c (1 / 2) C ltac:(lra)) as (E & E0 & F).
  apply (F E 1 1 1%nat 1%nat 0); try lra; try lia.
  apply (H bool (linear_loss 1) (linear_slope 1) 1 1); try lra; try lia.
  apply linear_differentiable. apply linear_lipschitz; lra. apply linear_smooth; lra.
Qed.

(** ** Theorem 5.3 *)

Definition minimises (C : R -> Prop) (h : R -> R) (y : R) : Prop := C y /\ forall y', C y' -> h y <= h y'.
Definition segment (radius y : R) : Prop := - radius <= y <= radius.
(** Algorithm 3 on C = [-R, R], of diameter 2 R and norm |x| / R, with w (x) = x^2 / (2 R^2), whose Bregman divergence
    is (z - z')^2 / (2 R^2).  [y_step] and [z_step] solve lines 6 and 7, at whatever point and gradient. *)
Definition line_6 (L radius x slope y : R) : R := L * (2 * radius * (2 * radius)) / 2 * ((y - x) / radius * ((y - x) / radius)) + slope * (y - x).
Definition line_7 (radius z' alpha slope z : R) : R := (z - z') * (z - z') / (2 * (radius * radius)) + alpha * (slope * (z - z')).
Fixpoint accelerated (L : R) (slope : R -> R) (sigma : R) (y_step : R -> R -> R) (z_step : R -> R -> R -> R)
    (rounds k : nat) (y z : R) : law R :=
  match rounds with
  | O => point y
  | S rounds =>
      let alpha := (INR k + 2) / (4 * L) in
      let r := 1 / (2 * alpha * L) in
      let x := r * z + (1 - r) * y in
      let y' := y_step x (slope x) in
      b <- gaussian 0 sigma;
      accelerated L slope sigma y_step z_step rounds (S k) y' (z_step z alpha (slope x + b))
  end.
Definition theorem_5_3 (c : R) : Prop := forall (X : Type) (f g : X -> R -> R) G L radius T n x0 eps del y_step z_step,
  differentiable f g -> (forall z, convex_on_line (f z)) -> lipschitz f G -> smooth g L ->
  0 < G -> 0 < L -> 0 < radius -> segment radius x0 -> (1 <= T)%nat -> (1 <= n)%nat -> 0 < eps -> 0 < del < 1 ->
  (forall x s, minimises (segment radius) (line_6 L radius x s) (y_step x s)) ->
  (forall z' alpha s, minimises (segment radius) (line_7 radius z' alpha s) (z_step z' alpha s)) ->
  private (neighbours_of_size n) eps del (fun data =>
    accelerated L (fun x => mean (fun z => g z x) data) (equation_11 c G T n eps del) y_step z_step T 0 x0 x0).

(** Solutions exist: the free minimum, cut to the segment. *)
Definition cut (radius y : R) : R := Rmax (- radius) (Rmin radius y).
Lemma cut_cases radius v : 0 < radius -> (radius <= v /\ cut radius v = radius) \/
  (v <= - radius /\ cut radius v = - radius) \/ (- radius <= v <= radius /\ cut radius v = v).
Proof.
  intros R0. unfold cut. destruct (Rle_dec radius v). left. rewrite Rmin_left, Rmax_right by lra. lra. right.
  rewrite Rmin_right by lra. destruct (Rle_dec v (- radius)). left. rewrite Rmax_left; lra. right. rewrite Rmax_right; lra.
Qed.
Lemma cut_minimises radius k v h b : 0 < radius -> 0 < k -> (forall y, h y = k * ((y - v) * (y - v)) + b) ->
  minimises (segment radius) h (cut radius v).
Proof.
  intros R0 K H. destruct (cut_cases radius v R0) as [(V & ->) | [(V & ->) | (V & ->)]]; unfold minimises, segment; split; try lra;
    intros y Y; rewrite !H; apply Rplus_le_compat_r, Rmult_le_compat_l; try lra.
  - replace ((radius - v) * (radius - v)) with ((v - radius) * (v - radius)) by ring.
    replace ((y - v) * (y - v)) with ((v - y) * (v - y)) by ring. apply Rmult_le_compat; lra.
  - apply Rmult_le_compat; lra.
  - rewrite Rminus_eq_0, Rmult_0_l. exact (Rle_0_sqr (y - v)).
Qed.
Definition solve_6 (L radius x slope : R) : R := cut radius (x - slope / (4 * L)).
Definition solve_7 (radius z' alpha slope : R) : R := cut radius (z' - alpha * slope * (radius * radius)).
Lemma solve_6_minimises L radius x slope : 0 < L -> 0 < radius ->
  minimises (segment radius) (line_6 L radius x slope) (solve_6 L radius x slope).
Proof.
  intros L0 R0. apply (cut_minimises radius (2 * L) _ _ (- (slope * slope / (8 * L)))); try lra.
  intros y. unfold line_6. field. lra.
Qed.
Lemma solve_7_minimises radius z' alpha slope : 0 < radius ->
  minimises (segment radius) (line_7 radius z' alpha slope) (solve_7 radius z' alpha slope).
Proof.
  intros R0. apply (cut_minimises radius (/ (2 * (radius * radius))) _ _ (- (alpha * slope * (alpha * slope) * (radius * radius) / 2)));
    try lra. apply Rinv_0_lt_compat; nra. intros y. unfold line_7. field. lra.
Qed.
(** One round from 0: the release is the exact gradient step, whatever the noise is. *)
Lemma one_round_is_exact L radius slope sigma : 0 < sigma -> Rabs (slope 0) <= 4 * L * radius -> 0 < L -> 0 < radius ->
  forall S : R -> bool, probability_is (accelerated L slope sigma (solve_6 L radius) (solve_7 radius) 1 0 0 0) S
    (indicator S (- (slope 0 / (4 * L)))).
Proof.
  intros S0 B L0 R0 S. unfold probability_is, accelerated.
  replace (1 / (2 * ((INR 0 + 2) / (4 * L)) * L) * 0 + (1 - 1 / (2 * ((INR 0 + 2) / (4 * L)) * L)) * 0) with 0 by ring.
  assert (Y : solve_6 L radius 0 (slope 0) = - (slope 0 / (4 * L))).
  { unfold solve_6. rewrite Rminus_0_l. apply Rabs_le_between in B. unfold cut.
    assert (- radius <= slope 0 / (4 * L) <= radius).
    { split; apply (Rmult_le_reg_r (4 * L)); try lra; replace (slope 0 / (4 * L) * (4 * L)) with (slope 0) by (field; lra); lra. }
    rewrite Rmin_right, Rmax_right; lra. }
  rewrite Y. exists (fun _ => indicator S (- (slope 0 / (4 * L)))). split. reflexivity.
  pose proof (integral_scal _ (indicator S (- (slope 0 / (4 * L)))) _ (normal_integral 0 sigma S0)) as I.
  rewrite Rmult_1_r in I. exact I.
Qed.
(** The noise does not matter: at every sigma, epsilon and delta below one, an event of probability 1 on the one data
    set has probability 0 on the other. *)
Theorem accelerated_mirror_descent_is_not_private L radius sigma G n eps del : 0 < sigma -> 0 < L -> 0 < radius ->
  0 < G <= 4 * L * radius -> (1 <= n)%nat -> del < 1 ->
  ~ private (neighbours_of_size n) eps del (fun data =>
      accelerated L (fun x => mean (fun z => linear_slope G z x) data) sigma (solve_6 L radius) (solve_7 radius) 1 0 0 0).
Proof.
  intros S0 L0 R0 G0 N D. pose proof (INR_pos n N) as N0. assert (N1 : 1 <= INR n) by (apply (le_INR 1); lia).
  assert (K : 0 < G / INR n <= G).
  { split. apply Rdiv_lt_0_compat; lra. apply (Rmult_le_reg_r (INR n)); auto. unfold Rdiv.
    rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. nra. }
  pose proof (one_round_is_exact L radius (fun x => mean (fun z => linear_slope G z x) (all_plus n)) sigma S0) as A.
  pose proof (one_round_is_exact L radius (fun x => mean (fun z => linear_slope G z x) (one_minus n)) sigma S0) as B.
  cbv beta in A, B. rewrite mean_all_plus in A by auto. rewrite mean_one_minus in B by auto.
  specialize (A ltac:(rewrite Rabs_pos_eq; lra) L0 R0 (before (- (G / (4 * L)) + G / INR n / (4 * L)))).
  specialize (B ltac:(apply Rabs_le; unfold Rdiv in *; lra) L0 R0 (before (- (G / (4 * L)) + G / INR n / (4 * L)))).
  assert (P : 0 < G / INR n / (4 * L)) by (apply Rdiv_lt_0_compat; lra).
  refine (event_refutes _ eps del _ _ _ (before (- (G / (4 * L)) + G / INR n / (4 * L))) 1 0 (witnesses n N) _ _ _).
  - match type of A with probability_is _ _ ?v => replace v with 1 in A end. exact A.
    unfold indicator, before. destruct (Rlt_dec _ _); lra.
  - match type of B with probability_is _ _ ?v => replace v with 0 in B end. exact B.
    unfold indicator, before. destruct (Rlt_dec _ _) as [h | h]; auto.
    replace (- ((G - 2 * G / INR n) / (4 * L))) with (- (G / (4 * L)) + 2 * (G / INR n / (4 * L))) in h by (field; lra). lra.
  - lra.
Qed.
(** At every constant, epsilon and delta. *)
Theorem theorem_5_3_is_false c eps del : 0 < c -> 0 < eps -> 0 < del < 1 -> ~ theorem_5_3 c.
Proof.
  intros C E D H.
  assert (S : 0 < equation_11 c 1 1 1 eps del).
  { rewrite equation_11_value; try lra; try lia. simpl (INR 1). rewrite sqrt_1. apply Rdiv_lt_0_compat. 2: lra.
    rewrite !Rmult_1_r. apply sqrt_lt_R0. apply Rmult_lt_0_compat; auto. now apply log_positive. }
  apply (accelerated_mirror_descent_is_not_private 1 1 (equation_11 c 1 1 1 eps del) 1 1%nat eps del S); try lra; try lia.
  apply (H bool (linear_loss 1) (linear_slope 1) 1 1 1 1%nat 1%nat 0 eps del); try lra; try lia.
  - apply linear_differentiable.
  - intros z. apply linear_convex.
  - apply linear_lipschitz. lra.
  - apply linear_smooth. lra.
  - unfold segment. lra.
  - intros. apply solve_6_minimises; lra.
  - intros. apply solve_7_minimises; lra.
Qed.
