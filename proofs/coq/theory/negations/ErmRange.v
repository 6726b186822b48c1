(** * Differentially private empirical risk minimization revisited: Eqs. (3) and (6) without their range, Remark 4.1

    Neighbours differ in one record (replace-one); parameters on the real line (p = 1).
    Eq. (3) without the range [equation_3_suffices]: some constant c makes DP-SVRG with that noise (epsilon, delta)-
    private for all epsilon and delta; Eq. (6) likewise for DP-SVRG++ [equation_6_suffices].  Theorems 4.1 and 4.3 name
    the range and do not claim this; Remark 4.1 does, with noise that is c' ln (T / delta) times as large.
    All three fail at every epsilon, for every constants, for delta = 1 / n^2 and n large; and, at c = 16 and epsilon = 1,
    for n = 10^4, the numbers of the catalogue.  The step size is 6 / L: [theorem_4_1] and [remark_4_1] of
    ErmVarianceReduction.v, with eta <= 1 / (12 L), are refuted there at large epsilon, and not by what is here.  The data sets, the loss and the event are those of ErmSampledIndex.v. *)
From Coq Require Import Reals Lra Lia List Psatz.
From Coquelicot Require Import Coquelicot.
From Dpref Require Import Improper Density Erfc Gaussian.
From Dpref.negations Require Import Laws HalfLines Criteria Losses ErmRevisited ErmVarianceReduction ErmSampledIndex.
Open Scope R_scope.

(** ** Enough records, at every epsilon *)

(** n = k^8 records and delta = 1 / n^2. *)
Definition enough (A eps : R) (k : nat) : Prop := (2 <= k)%nat /\ 10 * A * (eps + 9) <= INR k * (eps * eps).
Lemma enough_exists A eps : 0 < A -> 0 < eps -> exists k, enough A eps k.
Proof.
  intros a e. assert (E : 0 < eps * eps) by nra. assert (0 <= 10 * A * (eps + 9) / (eps * eps)) as Q by (apply Rdiv_le_0_compat; nra).
  destruct (nfloor_ex _ Q) as (k & _ & K). exists (S (S k)). split. lia. rewrite !S_INR.
  apply (Rmult_lt_compat_r (eps * eps)) in K; auto.
  replace (10 * A * (eps + 9) / (eps * eps) * (eps * eps)) with (10 * A * (eps + 9)) in K by (field; lra). nra.
Qed.
Lemma ln_at_most x : 0 < x -> ln x <= x.
Proof. intros H. pose proof (exp_ineq1_le (ln x)) as E. rewrite exp_ln in E by auto. lra. Qed.
Lemma ln_power k j : (1 <= k)%nat -> ln (INR (k ^ j)) = INR j * ln (INR k).
Proof. intros K. rewrite pow_INR. pose proof (INR_pos k K). now apply ln_pow. Qed.
Lemma little_noise A eps k G sigma : 0 < A -> 0 < eps -> enough A eps k -> 0 < G -> 0 < sigma ->
  sigma * sigma * (INR k ^ 13 * (eps * eps)) <= A * (G * G) ->
  8 * sigma <= G /\
  exp eps * (exp (- (G * G / (10 * (sigma * sigma)))) / 2) + 1 / (INR (k ^ 8) * INR (k ^ 8)) < 1 / (4 * INR (k ^ 8)).
Proof.
  intros A0 E0 [K2 K] G0 S0 H. assert (k2 : 2 <= INR k) by (apply (le_INR 2); lia). assert (EE : 0 < eps * eps) by nra.
  assert (SS : 0 < sigma * sigma) by nra. assert (p12 : INR k * 1 <= INR k ^ 12).
  { simpl. rewrite Rmult_1_r. rewrite <- (Rmult_1_r (INR k)) at 1. apply Rmult_le_compat_l. lra.
    pose proof (pow_R1_Rle (INR k) 11 ltac:(lra)) as P. simpl in P. rewrite Rmult_1_r in P. exact P. }
  assert (big : 10 * A * (eps + 9 * INR k) <= INR k ^ 13 * (eps * eps)).
  { replace (INR k ^ 13) with (INR k * INR k ^ 12) by (simpl; ring).
    assert (0 <= A * eps * (INR k - 1)) by (apply Rmult_le_pos; [left; now apply Rmult_lt_0_compat | lra]).
    apply Rle_trans with (INR k * (10 * A * (eps + 9))). lra. rewrite (Rmult_assoc (INR k)). apply Rmult_le_compat_l. lra.
    apply Rle_trans with (1 := K). apply Rmult_le_compat_r; lra. }
  assert (gap : 10 * (eps + 9 * INR k) <= G * G / (sigma * sigma)).
  { apply (Rmult_le_reg_r (A * (sigma * sigma))). now apply Rmult_lt_0_compat.
    replace (G * G / (sigma * sigma) * (A * (sigma * sigma))) with (A * (G * G)) by (field; lra).
    apply Rle_trans with (2 := H). replace (10 * (eps + 9 * INR k) * (A * (sigma * sigma))) with (sigma * sigma * (10 * A * (eps + 9 * INR k))) by ring.
    apply Rmult_le_compat_l; lra. }
  split.
  - apply Rsqr_incr_0; try lra. unfold Rsqr. replace (8 * sigma * (8 * sigma)) with (64 * (sigma * sigma)) by ring.
    replace (G * G) with (G * G / (sigma * sigma) * (sigma * sigma)) by (field; lra). apply Rmult_le_compat_r; lra.
  - pose proof (INR_pos k ltac:(lia)) as k0. assert (n0 : 0 < INR (k ^ 8)) by (rewrite pow_INR; now apply pow_lt).
    assert (n8 : 8 < INR (k ^ 8)).
    { rewrite pow_INR. apply Rlt_le_trans with (2 ^ 8). lra. apply pow_incr. lra. }
    assert (L : ln (4 * INR (k ^ 8)) <= 9 * INR k).
    { rewrite ln_mult by lra. rewrite ln_power by lia. replace (INR 8) with 8 by (simpl; lra). pose proof (ln_at_most (INR k) k0).
      assert (ln 4 <= 2). { rewrite <- (ln_exp 2). apply ln_le. lra. replace (exp 2) with (exp (1 + 1)) by (f_equal; lra). rewrite exp_plus.
        pose proof (exp_ineq1_le 1). nra. } lra. }
    assert (B : exp eps * exp (- (G * G / (10 * (sigma * sigma)))) <= / (4 * INR (k ^ 8))).
    { rewrite <- exp_plus. apply Rle_trans with (exp (- ln (4 * INR (k ^ 8)))). apply exp_le.
      replace (G * G / (10 * (sigma * sigma))) with (G * G / (sigma * sigma) / 10) by (field; lra). lra.
      rewrite exp_Ropp, exp_ln by lra. lra. }
    set (n := INR (k ^ 8)) in *. assert (D : 1 / (n * n) < / (8 * n)).
    { unfold Rdiv. rewrite Rmult_1_l. apply Rinv_lt_contravar; nra. }
    replace (1 / (4 * n)) with (/ (4 * n) / 2 + / (8 * n)) by (field; lra). lra.
Qed.
(** ln (2 / delta) and ln (1 / delta) are at most 17 k. *)
Lemma logarithms k : (2 <= k)%nat -> let del := 1 / (INR (k ^ 8) * INR (k ^ 8)) in
  0 < del < 1 /\ 0 < ln (1 / del) <= 17 * INR k /\ 0 < ln (2 / del) <= 17 * INR k.
Proof.
  intros K del. assert (k2 : 2 <= INR k) by (apply (le_INR 2); lia). assert (n1 : 1 < INR (k ^ 8)).
  { rewrite pow_INR. apply Rlt_le_trans with (2 ^ 8). lra. apply pow_incr. lra. }
  set (n := INR (k ^ 8)) in *. assert (D : 0 < del < 1).
  { unfold del. split. apply Rdiv_lt_0_compat; nra. apply (Rmult_lt_reg_r (n * n)). nra.
    replace (1 / (n * n) * (n * n)) with 1 by (field; lra). nra. }
  assert (L : ln (1 / del) = 16 * ln (INR k)).
  { replace (1 / del) with (n * n) by (unfold del; field; lra). rewrite ln_mult by lra. unfold n. rewrite ln_power by lia.
    replace (INR 8) with 8 by (simpl; lra). ring. }
  assert (L2 : ln (2 / del) = ln 2 + ln (1 / del)).
  { replace (2 / del) with (2 * (1 / del)) by (field; lra). apply ln_mult. lra. apply Rdiv_lt_0_compat; lra. }
  pose proof (ln_at_most (INR k) ltac:(lra)). pose proof (log_positive del D). pose proof (ln_at_most 2 ltac:(lra)).
  assert (0 < ln 2) by (rewrite <- ln_1; apply ln_increasing; lra). split; auto. split; split; lra.
Qed.
Lemma noise_square c G T m n eps l : 0 < c -> 0 < G -> 0 <= l -> (1 <= n)%nat -> 0 < eps -> 0 <= T * m ->
  let sigma := sqrt (c * (G * G) * (T * m) * l / (INR n * INR n * (eps * eps))) in
  sigma * sigma * (INR n * INR n * (eps * eps)) = c * (G * G) * (T * m) * l.
Proof.
  intros C G0 L N E Q sigma. pose proof (INR_pos n N) as P. assert (0 < INR n * INR n * (eps * eps)) by (repeat apply Rmult_lt_0_compat; auto).
  unfold sigma. rewrite sqrt_sqrt. field; lra. apply Rdiv_le_0_compat; auto. apply Rmult_le_pos; auto.
  apply Rmult_le_pos; auto. left. apply Rmult_lt_0_compat; auto. now apply Rmult_lt_0_compat.
Qed.
Lemma one_at_least k : (2 <= k)%nat -> (1 <= k ^ 8)%nat.
Proof. intros K. apply INR_le. rewrite pow_INR. simpl (INR 1). apply pow_R1_Rle. apply (le_INR 1). lia. Qed.
(** Noise whose variance is at most A k^3 / (n epsilon)^2, n = k^8. *)
Lemma fails_with_little_noise A eps a prox : 0 < A -> 0 < eps -> 1 / 2 <= a <= 1 -> (forall y, prox y = a * y) ->
  exists k, (2 <= k)%nat /\ forall sigma, 0 < sigma ->
    sigma * sigma * (INR (k ^ 8) * INR (k ^ 8) * (eps * eps)) <= A * INR k ^ 3 ->
    ~ private (neighbours_of_size (k ^ 8)) eps (1 / (INR (k ^ 8) * INR (k ^ 8)))
        (fun data => inner_steps (marked_slope 1 1) prox 6 sigma data 2 0 0 0 (fun total _ => point (total / 2))).
Proof.
  intros A0 E0 a0 P. destruct (enough_exists A eps A0 E0) as (k & K2 & K). exists k. split; auto. intros sigma S0 H.
  assert (k0 : 0 < INR k) by (apply INR_pos; lia). assert (k3 : 0 < INR k ^ 3) by now apply pow_lt.
  assert (B : sigma * sigma * (INR k ^ 13 * (eps * eps)) <= A * (1 * 1)).
  { apply (Rmult_le_reg_r (INR k ^ 3)); auto. apply Rle_trans with (2 := eq_ind_r (fun v => _ <= v) H (ltac:(ring) : A * (1 * 1) * INR k ^ 3 = A * INR k ^ 3)).
    right. rewrite pow_INR. ring. }
  destruct (little_noise A eps k 1 sigma A0 E0 (conj K2 K) ltac:(lra) S0 B) as [Q1 Q2].
  apply (sampled_index_shows a 1 1 6 sigma (k ^ 8) prox a0 P ltac:(lra) ltac:(lra) ltac:(lra) S0); auto. now apply one_at_least.
Qed.

(** ** The statements *)

Definition equation_3_suffices (c : R) : Prop :=
  forall (X : Type) (f g : X -> R -> R) (r prox : R -> R) G L mu eta T m n x0 eps del,
  differentiable f g -> (forall z, convex_on_line (f z)) -> lipschitz f G -> smooth g L ->
  convex_on_line r -> (forall data, length data = n -> strongly_convex (fun x => mean (fun z => f z x) data + r x) mu) ->
  0 < G -> 0 < L -> 0 < mu -> 0 < eta -> proximal r eta prox -> (1 <= T)%nat -> (1 <= m)%nat -> (1 <= n)%nat ->
  0 < eps -> 0 < del < 1 ->
  private (neighbours_of_size n) eps del (fun data => svrg g prox eta (equation_3 c G T m n eps del) data T m x0).
Definition equation_6_suffices (c : R) : Prop :=
  forall (X : Type) (f g : X -> R -> R) (r prox : R -> R) G L eta T m n x0 eps del,
  differentiable f g -> (forall z, convex_on_line (f z)) -> lipschitz f G -> smooth g L -> convex_on_line r ->
  0 < G -> 0 < L -> 0 < eta -> proximal r eta prox -> (1 <= T)%nat -> (1 <= m)%nat -> (1 <= n)%nat -> 0 < eps -> 0 < del < 1 ->
  private (neighbours_of_size n) eps del (fun data => svrg_plus_plus g prox eta (equation_6 c G T m n eps del) data T m x0 x0).

(** Regularisers: x^2 / 24 at step size 6, whose prox multiplies by 2/3. *)
Definition scale : R := 1 / (1 + 6 * (1 / 12)).
Lemma scale_range : 1 / 2 <= scale <= 1. Proof. unfold scale. lra. Qed.
Lemma cube k : (2 <= k)%nat -> INR k <= INR k ^ 3 /\ 0 < INR k.
Proof. intros K. pose proof (le_INR 2 k K) as k2. simpl (INR 2) in k2. split; [simpl; nra | lra]. Qed.
Lemma positive_noise c l n eps : 0 < c -> 0 < l -> (1 <= n)%nat -> 0 < eps -> 0 < sqrt (c * (1 * 1) * 2 * l / (INR n * INR n * (eps * eps))).
Proof.
  intros C L N E. pose proof (INR_pos n N) as P. apply sqrt_lt_R0. apply Rdiv_lt_0_compat; repeat apply Rmult_lt_0_compat; lra.
Qed.
Lemma equation_3_at c n eps del : equation_3 c 1 1 2 n eps del = sqrt (c * (1 * 1) * 2 * ln (1 / del) / (INR n * INR n * (eps * eps))).
Proof. unfold equation_3. do 4 f_equal. simpl. ring. Qed.
Lemma equation_6_at c n eps del : equation_6 c 1 1 1 n eps del = sqrt (c * (1 * 1) * 2 * ln (2 / del) / (INR n * INR n * (eps * eps))).
Proof. unfold equation_6. do 4 f_equal. simpl. ring. Qed.
Lemma noise_square_at c l n eps : 0 < c -> 0 < l -> (1 <= n)%nat -> 0 < eps ->
  let sigma := sqrt (c * (1 * 1) * 2 * l / (INR n * INR n * (eps * eps))) in sigma * sigma * (INR n * INR n * (eps * eps)) = 2 * c * l.
Proof.
  intros C L N E sigma. pose proof (noise_square c 1 1 2 n eps l C ltac:(lra) ltac:(lra) N E ltac:(lra)) as V. cbv zeta in V.
  unfold sigma. replace (c * (1 * 1) * 2 * l) with (c * (1 * 1) * (1 * 2) * l) by ring. rewrite V. ring.
Qed.
Theorem equation_3_fails_at_every_epsilon c eps : 0 < c -> 0 < eps -> exists n, (1 <= n)%nat /\
  let del := 1 / (INR n * INR n) in 0 < del < 1 /\ ~ private (neighbours_of_size n) eps del
    (fun data => svrg (marked_slope 1 1) (fun y => scale * y) 6 (equation_3 c 1 1 2 n eps del) data 1 2 0).
Proof.
  intros C E. destruct (fails_with_little_noise (34 * c) eps scale (fun y => scale * y) ltac:(lra) E scale_range (fun y => eq_refl)) as (k & K & F).
  destruct (logarithms k K) as (D & L & _). pose proof (one_at_least k K) as N. exists (k ^ 8)%nat. split; auto. split; auto.
  rewrite equation_3_at. destruct (cube k K) as [k3 k0]. apply F. now apply positive_noise.
  rewrite (noise_square_at c _ _ eps C (proj1 L) N E). nra.
Qed.
Theorem equation_6_fails_at_every_epsilon c eps : 0 < c -> 0 < eps -> exists n, (1 <= n)%nat /\
  let del := 1 / (INR n * INR n) in 0 < del < 1 /\ ~ private (neighbours_of_size n) eps del
    (fun data => svrg_plus_plus (marked_slope 1 1) (fun y => 1 * y) 6 (equation_6 c 1 1 1 n eps del) data 1 1 0 0).
Proof.
  intros C E. destruct (fails_with_little_noise (34 * c) eps 1 (fun y => 1 * y) ltac:(lra) E ltac:(lra) (fun y => eq_refl)) as (k & K & F).
  destruct (logarithms k K) as (D & _ & L). pose proof (one_at_least k K) as N. exists (k ^ 8)%nat. split; auto. split; auto.
  rewrite equation_6_at. destruct (cube k K) as [k3 k0]. apply F. now apply positive_noise.
  rewrite (noise_square_at c _ _ eps C (proj1 L) N E). nra.
Qed.
Theorem remark_4_1_fails_at_every_epsilon c c' eps : 0 < c -> 0 < c' -> 0 < eps -> exists n, (1 <= n)%nat /\
  let del := 1 / (INR n * INR n) in 0 < del < 1 /\ ~ private (neighbours_of_size n) eps del (fun data =>
    svrg (marked_slope 1 1) (fun y => scale * y) 6 (c' * ln (INR 1 / del) * equation_3 c 1 1 2 n eps del) data 1 2 0).
Proof.
  intros C C' E. assert (A0 : 0 < 2 * c * (c' * c') * (17 * 17 * 17)) by (repeat apply Rmult_lt_0_compat; lra).
  destruct (fails_with_little_noise (2 * c * (c' * c') * (17 * 17 * 17)) eps scale (fun y => scale * y) A0 E scale_range (fun y => eq_refl)) as (k & K & F).
  destruct (logarithms k K) as (D & L & _). pose proof (one_at_least k K) as N. exists (k ^ 8)%nat. split; auto. split; auto.
  rewrite equation_3_at. replace (INR 1) with 1 by reflexivity. set (l := ln (1 / (1 / (INR (k ^ 8) * INR (k ^ 8))))) in *.
  pose proof (positive_noise c l (k ^ 8) eps C (proj1 L) N E) as S0. pose proof (noise_square_at c l (k ^ 8) eps C (proj1 L) N E) as V. cbv zeta in V.
  set (s := sqrt (c * (1 * 1) * 2 * l / (INR (k ^ 8) * INR (k ^ 8) * (eps * eps)))) in *.
  apply F. repeat apply Rmult_lt_0_compat; lra.
  replace (c' * l * s * (c' * l * s) * (INR (k ^ 8) * INR (k ^ 8) * (eps * eps))) with (c' * c' * (l * l) * (s * s * (INR (k ^ 8) * INR (k ^ 8) * (eps * eps)))) by ring.
  rewrite V. destruct (cube k K) as [k3 k0]. replace (c' * c' * (l * l) * (2 * c * l)) with (2 * c * (c' * c') * (l * l * l)) by ring.
  replace (2 * c * (c' * c') * (17 * 17 * 17) * INR k ^ 3) with (2 * c * (c' * c') * (17 * INR k * (17 * INR k) * (17 * INR k))) by (simpl; ring).
  apply Rmult_le_compat_l. left. repeat apply Rmult_lt_0_compat; lra.
  assert (l * l <= 17 * INR k * (17 * INR k)) by (apply Rmult_le_compat; lra). apply Rmult_le_compat; try lra. nra.
Qed.
Theorem equation_3_needs_its_range : ~ exists c, 0 < c /\ equation_3_suffices c.
Proof.
  intros (c & C & H). destruct (equation_3_fails_at_every_epsilon c 1 C ltac:(lra)) as (n & N & D & F). cbv zeta in F. apply F.
  apply (H bool (marked_loss 1 1) (marked_slope 1 1) (ridge (1 / 12)) _ 1 1 (1 / 12) 6 1%nat 2%nat n 0); try lra; try lia; auto.
  - apply marked_differentiable.
  - intros z. apply marked_convex; lra.
  - apply marked_lipschitz. lra.
  - apply marked_smooth; lra.
  - apply ridge_convex. lra.
  - intros. apply marked_objective; lra.
  - apply ridge_prox; lra.
Qed.
Theorem equation_6_needs_its_range : ~ exists c, 0 < c /\ equation_6_suffices c.
Proof.
  intros (c & C & H). destruct (equation_6_fails_at_every_epsilon c 1 C ltac:(lra)) as (n & N & D & F). cbv zeta in F. apply F.
  apply (H bool (marked_loss 1 1) (marked_slope 1 1) (ridge 0) _ 1 1 6 1%nat 1%nat n 0); try lra; try lia; auto.
  - apply marked_differentiable.
  - intros z. apply marked_convex; lra.
  - apply marked_lipschitz. lra.
  - apply marked_smooth; lra.
  - apply ridge_convex. lra.
  - intros y. destruct (ridge_prox 0 6 ltac:(lra) ltac:(lra) y) as [_ B].
    replace (1 / (1 + 6 * 0) * y) with (1 * y) in B by (field; lra). split; auto.
Qed.
