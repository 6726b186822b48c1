(** * Private online Frank-Wolfe: Lemma 2.1, and Theorem 3.1 with the noise that Algorithm 4 draws

    Neighbours differ in one record (replace-one); dimension one, where every norm is the absolute value and kappa = 1.
    Lemma 2.1 [lemma_2_1]: a query of sensitivity s plus noise with density proportional to exp (- z^2 / (2 sigma^2)),
    sigma^2 = 2 kappa ln (1 / delta) s^2 / epsilon^2, is (epsilon, delta)-private; no bound on epsilon is printed.
    Theorem 3.1 with Algorithm 4 [theorem_3_1_as_sampled]: DP-TOFW with sigma_+ of Eq. (3.2) is (epsilon, delta)-private,
    the noise having a squared radius with the Gamma law of shape d/2 and scale 2 sigma_+ (instead of 2 sigma_+^2).
    Refuted by the first published iterate, at every epsilon and delta: noise of variance sigma_+ does not hide a
    gradient of size L when L is large, sigma_+ being proportional to L.  The event: the iterate is negative. *)
From Coq Require Import Reals Lra Lia List Arith.
From Coquelicot Require Import Coquelicot.
From Dpref Require Import Improper Density Erfc Gaussian.
From Dpref Require Finite.
From Dpref.negations Require Import Laws HalfLines Criteria Losses ErmRevisited.
Import ListNotations.
Open Scope R_scope.

(** ** Lemma 2.1 *)

Definition lemma_2_1 : Prop := forall (D : Type) (neighbours : D -> D -> Prop) (q : D -> R) s eps del,
  sensitivity neighbours q s -> 0 < s -> 0 < eps -> 0 < del < 1 ->
  private neighbours eps del (fun d => y <- gaussian 0 (sqrt (2 * 1 * ln (1 / del) * (s * s) / (eps * eps))); point (q d + y)).
(** For every delta below one it fails at every large epsilon. *)
Theorem lemma_2_1_fails del : 0 < del < 1 -> exists E, 0 < E /\ forall eps, E <= eps ->
  ~ private other_bit eps del
      (fun b => y <- gaussian 0 (sqrt (2 * 1 * ln (1 / del) * (1 * 1) / (eps * eps))); point (bit_query b + y)).
Proof.
  intros D. pose proof (log_positive del D) as L. assert (S : 0 < sqrt (2 * ln (1 / del))) by (apply sqrt_lt_R0; lra).
  destruct (large_epsilon del (/ sqrt (2 * ln (1 / del))) ltac:(lra) (Rinv_0_lt_compat _ S)) as (E & E0 & H).
  exists E. split; auto. intros eps G P.
  assert (V : sqrt (2 * 1 * ln (1 / del) * (1 * 1) / (eps * eps)) = sqrt (2 * ln (1 / del)) / eps).
  { replace (2 * 1 * ln (1 / del) * (1 * 1)) with (2 * ln (1 / del)) by ring. rewrite sqrt_div by nra. now rewrite sqrt_square by lra. }
  rewrite V in P. assert (S0 : 0 < sqrt (2 * ln (1 / del)) / eps) by (apply Rdiv_lt_0_compat; lra).
  refine (H eps _ _ _ _ _ G S0 (bit_normal_tails _ true S0) (bit_normal_tails _ false S0) _ (P true false _)).
  - unfold bit_query. rewrite Rminus_0_r, Rabs_R1. right. field. lra.
  - discriminate.
Qed.
Theorem lemma_2_1_is_false_for_large_epsilon : ~ lemma_2_1.
Proof.
  intros H. destruct (lemma_2_1_fails (1 / 2) ltac:(lra)) as (E & E0 & F). apply (F E ltac:(lra)).
  apply (H bool other_bit bit_query 1); try lra. apply bit_sensitivity.
Qed.

(** ** The first iterate of DP-TOFW *)

(** The Gamma law of shape 1/2 and scale theta, which is that of theta / 2 times the square of a standard normal. *)
Definition gamma_half (theta : R) : law R := z <- gaussian 0 1; point (theta / 2 * (z * z)).
(** Algorithm 4 in dimension one: a radius and a fair sign. *)
Definition algorithm_4 (sigma_plus : R) : law R :=
  square <- gamma_half (2 * sigma_plus); coin (1 / 2) (point (sqrt square)) (point (- sqrt square)).
(** ceil (log2 n) + 1, the number of nodes on a path of the tree, and Eq. (3.2). *)
Definition path_length (n : nat) : R := INR (Nat.log2_up n + 1).
Definition equation_3_2 (beta D L : R) (n : nat) (eps del : R) : R :=
  sqrt (8 * (path_length n * path_length n) * 1 * ln (path_length n / del) * ((beta * D + L) * (beta * D + L)) / (eps * eps)).
(** Algorithm 1, its first round on the set [-R, R] from theta_0 = theta_1 = 0: g_1 = 2 f'(0; x_1) - f'(0; x_1), the first
    node of the tree, d_1 = node / 2, v_1 a minimiser of d_1 v, and theta_2 = theta_1 + (v_1 - theta_1) / 2. *)
Definition first_iterate {X} (slope : X -> R -> R) (radius sigma_plus : R) (stream : list X) : law R :=
  noise <- algorithm_4 sigma_plus;
  let g1 := match stream with [] => 0 | z :: _ => 2 * slope z 0 - 1 * slope z 0 end in
  let d1 := (g1 + noise) / 2 in
  let v1 := if Rlt_dec 0 d1 then - radius else radius in
  point (0 + 1 / 2 * (v1 - 0)).
(** What Theorem 3.1 says of the first published iterate, a part of the output. *)
Definition theorem_3_1_as_sampled : Prop := forall (X : Type) (f g : X -> R -> R) beta L radius n eps del,
  differentiable f g -> (forall z, convex_on_line (f z)) -> lipschitz f L -> smooth g beta ->
  0 < beta -> 0 < L -> 0 < radius -> (1 <= n)%nat -> 0 < eps -> 0 < del < 1 ->
  private (neighbours_of_size n) eps del (first_iterate g radius (equation_3_2 beta (2 * radius) L n eps del)).

Definition negative (x : R) : bool := if Rlt_dec x 0 then true else false.
Section FirstIterate.
  Variables (radius s L : R).
  Hypothesis (R0 : 0 < radius) (s0 : 0 < s) (L0 : 0 < L).
  Let k := L / sqrt s.
  Let q0 : 0 < sqrt s. Proof. now apply sqrt_lt_R0. Qed.
  Let k0 : 0 < k. Proof. now apply Rdiv_lt_0_compat. Qed.
  (** Whether the iterate is negative, given the gradient and the noise. *)
  Let sees g y := indicator negative (0 + 1 / 2 * ((if Rlt_dec 0 ((g + y) / 2) then - radius else radius) - 0)).
  Let sees_value g y : sees g y = if Rlt_dec 0 (g + y) then 1 else 0.
  Proof.
    unfold sees, indicator, negative. destruct (Rlt_dec 0 ((g + y) / 2)), (Rlt_dec 0 (g + y)); try lra;
      destruct (Rlt_dec _ 0); lra.
  Qed.
  Let radius_of z : sqrt (2 * s / 2 * (z * z)) = sqrt s * Rabs z.
  Proof. replace (2 * s / 2 * (z * z)) with (s * (z * z)) by field. rewrite sqrt_mult by nra. f_equal. exact (sqrt_Rsqr_abs z). Qed.
  Let program slope (stream : list bool) g v :
    match stream with [] => 0 | z :: _ => 2 * slope z 0 - 1 * slope z 0 end = g ->
    integral (fun z => (1 / 2 * sees g (sqrt s * Rabs z) + (1 - 1 / 2) * sees g (- (sqrt s * Rabs z))) * normal 0 1 z) v ->
    probability_is (first_iterate slope radius s stream) negative v.
  Proof.
    intros G I. exists (sees g). split.
    { intros y. unfold sees. rewrite <- G. reflexivity. }
    exists (fun square => 1 / 2 * sees g (sqrt square) + (1 - 1 / 2) * sees g (- sqrt square)). split.
    { intros square. exists (sees g (sqrt square)), (sees g (- sqrt square)). repeat split. }
    exists (fun z => 1 / 2 * sees g (sqrt s * Rabs z) + (1 - 1 / 2) * sees g (- (sqrt s * Rabs z))). split. 2: exact I.
    intros z. unfold point. now rewrite radius_of.
  Qed.
  Let far z : k < Rabs z <-> L < sqrt s * Rabs z.
  Proof.
    unfold k. split; intros H.
    - apply (Rmult_lt_compat_l (sqrt s)) in H; auto. replace (sqrt s * (L / sqrt s)) with L in H by (field; lra). exact H.
    - apply (Rmult_lt_reg_l (sqrt s)); auto. replace (sqrt s * (L / sqrt s)) with L by (field; lra). exact H.
  Qed.
  Let near z : Rabs z < k <-> sqrt s * Rabs z < L.
  Proof.
    unfold k. split; intros H.
    - apply (Rmult_lt_compat_l (sqrt s)) in H; auto. replace (sqrt s * (L / sqrt s)) with L in H by (field; lra). exact H.
    - apply (Rmult_lt_reg_l (sqrt s)); auto. replace (sqrt s * (L / sqrt s)) with L by (field; lra). exact H.
  Qed.
  Let above : integral (restricted (beyond k) (normal 0 1)) (1 - normal_cdf k).
  Proof. pose proof (normal_beyond 0 1 k ltac:(lra)) as H. replace ((0 - k) / 1) with (- k) in H by field. rewrite normal_cdf_opp in H. exact H. Qed.
  Let under : integral (restricted (before (- k)) (normal 0 1)) (1 - normal_cdf k).
  Proof. pose proof (normal_before 0 1 (- k) ltac:(lra)) as H. replace ((- k - 0) / 1) with (- k) in H by field. rewrite normal_cdf_opp in H. exact H. Qed.
  (** A gradient -L is overcome with probability normal_cdf (- L / sqrt s). *)
  Lemma down slope (stream : list bool) : match stream with [] => 0 | z :: _ => 2 * slope z 0 - 1 * slope z 0 end = - L ->
    probability_is (first_iterate slope radius s stream) negative (1 - normal_cdf k).
  Proof.
    intros G. apply (program slope stream (- L)); auto.
    pose proof (integral_scal _ (1 / 2) _ (integral_plus _ _ _ _ above under)) as I.
    replace (1 / 2 * (1 - normal_cdf k + (1 - normal_cdf k))) with (1 - normal_cdf k) in I by field.
    refine (integral_ext _ _ _ _ I). intros z. rewrite !sees_value. pose proof (Rabs_pos z) as A.
    assert (0 <= sqrt s * Rabs z) by (apply Rmult_le_pos; lra). destruct (Rlt_dec 0 (- L + - (sqrt s * Rabs z))); try lra.
    unfold restricted, beyond, before. destruct (Rlt_dec 0 (- L + sqrt s * Rabs z)) as [h | h].
    - assert (K : k < Rabs z) by (apply far; lra). unfold Rabs in K. destruct (Rcase_abs z), (Rlt_dec k z), (Rlt_dec z (- k)); lra.
    - assert (K : ~ k < Rabs z) by (rewrite far; lra). unfold Rabs in K. destruct (Rcase_abs z), (Rlt_dec k z), (Rlt_dec z (- k)); lra.
  Qed.
  (** A gradient L prevails with probability normal_cdf (L / sqrt s). *)
  Lemma up slope (stream : list bool) : match stream with [] => 0 | z :: _ => 2 * slope z 0 - 1 * slope z 0 end = L ->
    probability_is (first_iterate slope radius s stream) negative (normal_cdf k).
  Proof.
    intros G. apply (program slope stream L); auto.
    pose proof (normal_before 0 1 k ltac:(lra)) as B. pose proof (normal_beyond 0 1 (- k) ltac:(lra)) as C.
    replace ((k - 0) / 1) with k in B by field. replace ((0 - - k) / 1) with k in C by field. unfold probability in B, C.
    pose proof (integral_scal _ (1 / 2) _ (integral_plus _ _ _ _ B C)) as I.
    replace (1 / 2 * (normal_cdf k + normal_cdf k)) with (normal_cdf k) in I by field.
    refine (integral_ext _ _ _ _ I). intros z. rewrite !sees_value. pose proof (Rabs_pos z) as A.
    assert (0 <= sqrt s * Rabs z) by (apply Rmult_le_pos; lra). destruct (Rlt_dec 0 (L + sqrt s * Rabs z)); try lra.
    unfold restricted, beyond, before. destruct (Rlt_dec 0 (L + - (sqrt s * Rabs z))) as [h | h].
    - assert (K : Rabs z < k) by (apply near; lra). unfold Rabs in K. destruct (Rcase_abs z), (Rlt_dec z k), (Rlt_dec (- k) z); lra.
    - assert (K : ~ Rabs z < k) by (rewrite near; lra). unfold Rabs in K. destruct (Rcase_abs z), (Rlt_dec z k), (Rlt_dec (- k) z); lra.
  Qed.
  Theorem sign_refutes n eps del : (1 <= n)%nat -> exp eps * (1 - normal_cdf (L / sqrt s)) + del < normal_cdf (L / sqrt s) ->
    ~ private (neighbours_of_size n) eps del (first_iterate (linear_slope L) radius s).
  Proof.
    intros N H. refine (event_refutes _ eps del _ _ _ negative _ _ (witnesses n N) (up _ _ _) (down _ _ _) H).
    - unfold all_plus. destruct n. lia. simpl. unfold linear_slope, sign. ring.
    - unfold one_minus, linear_slope, sign. ring.
  Qed.
End FirstIterate.

(** At every epsilon, every delta below one and every length of the stream, some Lipschitz constant fails; the linear
    loss is smooth with the constant beta = L / D. *)
Theorem first_iterate_fails eps del radius n : 0 < eps -> 0 < del < 1 -> 0 < radius -> (1 <= n)%nat -> exists L, 0 < L /\
  ~ private (neighbours_of_size n) eps del
      (first_iterate (linear_slope L) radius (equation_3_2 (L / (2 * radius)) (2 * radius) L n eps del)).
Proof.
  intros E D R0 N. pose proof (exp_pos eps) as X.
  destruct (normal_cdf_reaches ((exp eps + del) / (exp eps + 1))) as (u & U & P).
  { apply (Rmult_lt_reg_r (exp eps + 1)). lra. replace ((exp eps + del) / (exp eps + 1) * (exp eps + 1)) with (exp eps + del) by (field; lra). lra. }
  assert (m1 : 1 <= path_length n). { unfold path_length. apply (le_INR 1). lia. }
  assert (l0 : 0 < ln (path_length n / del)).
  { rewrite <- ln_1. apply ln_increasing. lra. apply (Rmult_lt_reg_r del). lra.
    replace (path_length n / del * del) with (path_length n) by (field; lra). lra. }
  set (w := 8 * (path_length n * path_length n) * 1 * ln (path_length n / del) * 4 / (eps * eps)).
  assert (w0 : 0 < w). { unfold w. apply Rdiv_lt_0_compat. 2: nra. repeat apply Rmult_lt_0_compat; lra. }
  pose proof (sqrt_lt_R0 w w0) as q0. set (L := sqrt w * (u * u + 1)). assert (L0 : 0 < L) by (apply Rmult_lt_0_compat; nra).
  exists L. split; auto.
  assert (V : equation_3_2 (L / (2 * radius)) (2 * radius) L n eps del = sqrt w * L).
  { unfold equation_3_2. replace (8 * (path_length n * path_length n) * 1 * ln (path_length n / del)
      * ((L / (2 * radius) * (2 * radius) + L) * (L / (2 * radius) * (2 * radius) + L)) / (eps * eps)) with (w * (L * L))
      by (unfold w; field; lra). rewrite sqrt_mult by nra. now rewrite sqrt_square by lra. }
  rewrite V. assert (s0 : 0 < sqrt w * L) by now apply Rmult_lt_0_compat.
  apply sign_refutes; auto.
  assert (K : u <= L / sqrt (sqrt w * L)).
  { pose proof (sqrt_lt_R0 _ s0) as r0. apply (Rmult_le_reg_r (sqrt (sqrt w * L))); auto.
    replace (L / sqrt (sqrt w * L) * sqrt (sqrt w * L)) with L by (field; lra).
    rewrite <- (sqrt_square u) by lra. rewrite <- sqrt_mult by nra. rewrite <- (sqrt_square L) at 2 by lra. apply sqrt_le_1_alt.
    replace (u * u * (sqrt w * L)) with (L * (u * u * sqrt w)) by ring. apply Rmult_le_compat_l. lra. unfold L. nra. }
  pose proof (normal_cdf_le _ _ K) as M. set (v := normal_cdf (L / sqrt (sqrt w * L))) in *.
  assert (B : exp eps + del < v * (exp eps + 1)).
  { apply (Rmult_lt_compat_r (exp eps + 1)) in P. 2: lra.
    replace ((exp eps + del) / (exp eps + 1) * (exp eps + 1)) with (exp eps + del) in P by (field; lra). nra. }
  lra.
Qed.
Theorem theorem_3_1_with_algorithm_4_is_false eps del : 0 < eps -> 0 < del < 1 -> ~ theorem_3_1_as_sampled.
Proof.
  intros E D H. destruct (first_iterate_fails eps del 1 1 E D ltac:(lra) ltac:(lia)) as (L & L0 & F). apply F.
  apply (H bool (linear_loss L) (linear_slope L)); try lra; try lia; auto.
  - apply linear_differentiable.
  - apply linear_convex.
  - apply linear_lipschitz. lra.
  - apply linear_smooth. apply Rdiv_le_0_compat; lra.
Qed.
