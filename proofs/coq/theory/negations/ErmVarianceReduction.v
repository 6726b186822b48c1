(** * Differentially private empirical risk minimization revisited: Theorems 4.1 and 4.3, Remark 4.1

    Neighbours differ in one record (replace-one); parameters on the real line (p = 1).
    Theorem 4.1 [theorem_4_1]: there are constants c, c_1 such that DP-SVRG (Algorithm 1) with
    sigma^2 = c G^2 T m ln (1 / delta) / (n^2 epsilon^2) is (epsilon, delta)-private for epsilon <= c_1 T m / n^2.
    Theorem 4.3 [theorem_4_3]: the same of DP-SVRG++ (Algorithm 2) with 2^T m for T m and ln (2 / delta) for ln (1 / delta).
    Remark 4.1 [remark_4_1]: the bound on epsilon may go if sigma is multiplied by O(ln (T / delta)).
    All three are refuted inside the printed range by large epsilon, for every constants and every delta below one:
    one epoch on linear losses, long enough for the range; the event is a half line of the output, the epoch's average.
    That the formulas fail at moderate epsilon outside the range, where a sampled index shows its record: ErmRange.v. *)
From Coq Require Import Reals Lra Lia List Psatz.
From Coquelicot Require Import Coquelicot.
From Dpref Require Import Improper Density Erfc Gaussian.
From Dpref Require Finite.
From Dpref.negations Require Import Laws HalfLines Criteria Losses ErmRevisited.
Import ListNotations.
Open Scope R_scope.

(** ** Algorithms 1 and 2 *)

(** [prox] solves line 8: the minimiser of (x - y)^2 / 2 + eta r (x). *)
Definition proximal (r : R -> R) (eta : R) (prox : R -> R) : Prop :=
  forall y, minimises (fun _ => True) (fun x => (x - y) * (x - y) / 2 + eta * r x) (prox y).
Section Algorithms.
  Context {X : Type}.
  Variables (slope : X -> R -> R) (prox : R -> R) (eta sigma : R) (data : list X).
  (** m inner steps from x, then [next] at the sum of the new iterates and the last. *)
  Fixpoint inner_steps (m : nat) (snapshot x total : R) (next : R -> R -> law R) : law R :=
    match m with
    | O => next total x
    | S m =>
        i <- uniform data;
        u <- gaussian 0 sigma;
        let v := slope i x - slope i snapshot + mean (fun z => slope z snapshot) data + u in
        let x' := prox (x - eta * v) in
        inner_steps m snapshot x' (total + x') next
    end.
  Fixpoint svrg (T m : nat) (snapshot : R) : law R :=
    match T with
    | O => point snapshot
    | S T => inner_steps m snapshot snapshot 0 (fun total _ => svrg T m (total / INR m))
    end.
  Fixpoint svrg_plus_plus (T m : nat) (snapshot x : R) : law R :=
    match T with
    | O => point snapshot
    | S T => inner_steps (2 * m) snapshot x 0 (fun total last => svrg_plus_plus T (2 * m) (total / INR (2 * m)) last)
    end.
End Algorithms.

Definition equation_3 (c G : R) (T m n : nat) (eps del : R) : R :=
  sqrt (c * (G * G) * (INR T * INR m) * ln (1 / del) / (INR n * INR n * (eps * eps))).
Definition equation_6 (c G : R) (T m n : nat) (eps del : R) : R :=
  sqrt (c * (G * G) * (2 ^ T * INR m) * ln (2 / del) / (INR n * INR n * (eps * eps))).
Definition theorem_4_1 (c c1 : R) : Prop :=
  forall (X : Type) (f g : X -> R -> R) (r prox : R -> R) G L mu eta T m n x0 eps del,
  differentiable f g -> (forall z, convex_on_line (f z)) -> lipschitz f G -> smooth g L ->
  convex_on_line r -> (forall data, length data = n -> strongly_convex (fun x => mean (fun z => f z x) data + r x) mu) ->
  0 < G -> 0 < L -> 0 < mu -> 0 < eta <= 1 / (12 * L) -> proximal r eta prox -> (1 <= T)%nat -> (1 <= m)%nat -> (1 <= n)%nat ->
  0 < eps <= c1 * (INR T * INR m) / (INR n * INR n) -> 0 < del < 1 ->
  private (neighbours_of_size n) eps del (fun data => svrg g prox eta (equation_3 c G T m n eps del) data T m x0).
Definition theorem_4_3 (c c1 : R) : Prop :=
  forall (X : Type) (f g : X -> R -> R) (r prox : R -> R) G L eta T m n x0 eps del,
  differentiable f g -> (forall z, convex_on_line (f z)) -> lipschitz f G -> smooth g L -> convex_on_line r ->
  0 < G -> 0 < L -> 0 < eta -> proximal r eta prox -> (1 <= T)%nat -> (1 <= m)%nat -> (1 <= n)%nat ->
  0 < eps <= c1 * (2 ^ T * INR m) / (INR n * INR n) -> 0 < del < 1 ->
  private (neighbours_of_size n) eps del (fun data => svrg_plus_plus g prox eta (equation_6 c G T m n eps del) data T m x0 x0).
(** c' ln (T / delta) times the noise of Eq. (3), and no bound on epsilon. *)
Definition remark_4_1 (c c' : R) : Prop :=
  forall (X : Type) (f g : X -> R -> R) (r prox : R -> R) G L mu eta T m n x0 eps del,
  differentiable f g -> (forall z, convex_on_line (f z)) -> lipschitz f G -> smooth g L ->
  convex_on_line r -> (forall data, length data = n -> strongly_convex (fun x => mean (fun z => f z x) data + r x) mu) ->
  0 < G -> 0 < L -> 0 < mu -> 0 < eta <= 1 / (12 * L) -> proximal r eta prox -> (1 <= T)%nat -> (1 <= m)%nat -> (1 <= n)%nat ->
  0 < eps -> 0 < del < 1 ->
  private (neighbours_of_size n) eps del
    (fun data => svrg g prox eta (c' * ln (INR T / del) * equation_3 c G T m n eps del) data T m x0).

(** ** One epoch on losses with constant slopes, with a prox that multiplies by a *)

Section Epoch.
  Variable a : R.
  Hypothesis a_range : 0 < a <= 1.
  (** a + a^2 + ... + a^k, their sum and the sum of their squares up to m. *)
  Fixpoint reach (k : nat) : R := match k with O => 0 | S k => a * (1 + reach k) end.
  Fixpoint reaches (m : nat) : R := match m with O => 0 | S m => reach (S m) + reaches m end.
  Fixpoint squares (m : nat) : R := match m with O => 0 | S m => reach (S m) * reach (S m) + squares m end.
  Lemma reach_nonneg k : 0 <= reach k. Proof. induction k; simpl; nra. Qed.
  Lemma reach_pos k : 0 < reach (S k). Proof. simpl. pose proof (reach_nonneg k). nra. Qed.
  Lemma reach_step k : reach (S k) = reach k + a ^ (S k).
  Proof. induction k. simpl. ring. change (a * (1 + reach (S k)) = reach (S k) + a ^ S (S k)). rewrite IHk at 1. simpl. ring. Qed.
  Lemma power_range k : 0 < a ^ k <= 1.
  Proof. induction k; simpl. lra. nra. Qed.
  Lemma reach_at_least k : INR k * a ^ k <= reach k.
  Proof.
    induction k. simpl. lra. rewrite S_INR, reach_step. pose proof (power_range k). pose proof (pos_INR k).
    assert (INR k * a ^ S k <= INR k * a ^ k) by (apply Rmult_le_compat_l; auto; simpl; nra). lra.
  Qed.
  Lemma reaches_at_least m : INR m * reach m <= 2 * reaches m.
  Proof.
    induction m. simpl. lra. change (reaches (S m)) with (reach (S m) + reaches m). rewrite S_INR.
    pose proof (reach_at_least m) as B. pose proof (reach_step m) as S. pose proof (power_range m) as P. pose proof (pos_INR m) as I.
    assert (INR m * a ^ Datatypes.S m <= INR m * a ^ m) by (apply Rmult_le_compat_l; auto; simpl; nra).
    pose proof (reach_pos m). rewrite S in *. nra.
  Qed.
  Lemma reach_increases k : reach k <= reach (S k).
  Proof. rewrite reach_step. pose proof (power_range (S k)). lra. Qed.
  Lemma squares_at_most m : squares m <= reach m * reaches m.
  Proof.
    induction m. simpl. lra. change (squares (S m)) with (reach (S m) * reach (S m) + squares m).
    change (reaches (S m)) with (reach (S m) + reaches m). pose proof (reach_increases m).
    assert (0 <= reaches m). { clear IHm H. induction m. simpl; lra. change (reaches (S m)) with (reach (S m) + reaches m).
      pose proof (reach_pos m). lra. } nra.
  Qed.
  Lemma squares_pos m : 0 < squares (S m).
  Proof. induction m. simpl. nra. change (squares (S (S m))) with (reach (S (S m)) * reach (S (S m)) + squares (S m)). pose proof (reach_pos (S m)). nra. Qed.
  (** The signal against the noise: at least half the number of steps. *)
  Lemma signal_to_noise m : INR m * squares m <= 2 * (reaches m * reaches m).
  Proof.
    pose proof (squares_at_most m). pose proof (reaches_at_least m). pose proof (pos_INR m). pose proof (reach_nonneg m).
    assert (0 <= reaches m) by nra.
    apply Rle_trans with (INR m * (reach m * reaches m)). now apply Rmult_le_compat_l.
    rewrite <- Rmult_assoc, <- (Rmult_assoc 2). now apply Rmult_le_compat_r.
  Qed.

  Variables (slope : bool -> R -> R) (data : list bool) (eta sigma g M : R) (prox : R -> R).
  Hypothesis data_some : data <> [].
  Hypothesis constant : forall z x y, slope z x = slope z y.
  Hypothesis full : forall x, mean (fun z => slope z x) data = g.
  Hypothesis prox_scales : forall y, prox y = a * y.
  Hypothesis (eta0 : 0 < eta) (sigma0 : 0 < sigma) (M0 : 0 < M).
  Lemma uniform_tails {Y} (l : list Y) (k : Y -> law R) c s : l <> [] -> (forall i, normal_tails (k i) c s) ->
    normal_tails (i <- uniform l; k i) c s.
  Proof.
    intros N H t. assert (I : INR (length l) <> 0). { apply not_0_INR. destruct l; simpl; [easy | lia]. }
    assert (S : forall v, Finite.sum_over l (fun _ => v) / INR (length l) = v).
    { intros v. replace (Finite.sum_over l (fun _ => v)) with (INR (length l) * v). now field.
      clear. induction l. simpl. ring. change (length (a :: l)) with (S (length l)). rewrite S_INR. simpl. rewrite <- IHl. ring. }
    split.
    - exists (fun _ => normal_cdf ((c - t) / s)). split. intros i. apply H. apply S.
    - exists (fun _ => 1 - normal_cdf ((c - t) / s)). split. intros i. apply H. apply S.
  Qed.
  Lemma epoch_normal_tails m snapshot x total :
    normal_tails (inner_steps slope prox eta sigma data (S m) snapshot x total (fun total _ => point (total / M)))
      ((total + reach (S m) * x - eta * g * reaches (S m)) / M) (eta * sigma * sqrt (squares (S m)) / M).
  Proof.
    revert x total. induction m; intros x total; simpl inner_steps; apply uniform_tails; auto; intros i.
    - apply (normal_tails_ext (u <- gaussian 0 sigma; point ((total + a * (x - eta * g)) / M + - (a * eta / M) * u)) _
        ((total + a * (x - eta * g)) / M) (Rabs (- (a * eta / M)) * sigma)).
      + intros f v (h & H & J). exists h. split; auto. intros u. rewrite <- (H u). unfold point. f_equal.
        rewrite prox_scales, (constant i x snapshot), full. field. lra.
      + simpl. field. lra.
      + assert (0 < a * eta / M) by (apply Rdiv_lt_0_compat; nra). rewrite Rabs_Ropp, Rabs_pos_eq by lra.
        simpl squares. replace (a * (1 + 0) * (a * (1 + 0)) + 0) with (a * a) by ring. rewrite sqrt_square by lra. field. lra.
      + apply affine_normal_tails; auto. assert (0 < a * eta / M) by (apply Rdiv_lt_0_compat; nra). lra.
    - pose proof (squares_pos m) as Q. pose proof (sqrt_lt_R0 _ Q) as Q0. pose proof (sqrt_sqrt (squares (S m)) ltac:(lra)) as QQ.
      pose proof (reach_pos (S m)) as RP.
      assert (s0 : 0 < eta * sigma * sqrt (squares (S m)) / M).
      { apply Rdiv_lt_0_compat; auto. apply Rmult_lt_0_compat; auto. now apply Rmult_lt_0_compat. }
      apply (normal_tails_ext (u <- gaussian 0 sigma; inner_steps slope prox eta sigma data (S m) snapshot
          (prox (x - eta * (slope i x - slope i snapshot + mean (fun z => slope z snapshot) data + u)))
          (total + prox (x - eta * (slope i x - slope i snapshot + mean (fun z => slope z snapshot) data + u)))
          (fun total _ => point (total / M))) _
        ((total + reach (S (S m)) * x - eta * g * reaches (S (S m))) / M)
        (sqrt (eta * sigma * sqrt (squares (S m)) / M * (eta * sigma * sqrt (squares (S m)) / M)
          + - (eta * reach (S (S m)) / M) * - (eta * reach (S (S m)) / M) * (sigma * sigma)))); auto.
      + replace (eta * sigma * sqrt (squares (S m)) / M * (eta * sigma * sqrt (squares (S m)) / M)
          + - (eta * reach (S (S m)) / M) * - (eta * reach (S (S m)) / M) * (sigma * sigma))
          with ((eta * sigma / M) * (eta * sigma / M) * (reach (S (S m)) * reach (S (S m)) + sqrt (squares (S m)) * sqrt (squares (S m))))
          by (field; lra).
        rewrite QQ. change (reach (S (S m)) * reach (S (S m)) + squares (S m)) with (squares (S (S m))).
        assert (0 < eta * sigma / M) by (apply Rdiv_lt_0_compat; nra).
        rewrite sqrt_mult by (try nra; left; apply squares_pos). rewrite sqrt_square by lra. field. lra.
      + apply bind_normal_tails; auto. intros u.
        refine (normal_tails_ext _ _ _ _ _ _ (fun f v h => h) _ eq_refl (IHm _ _)).
        rewrite prox_scales, (constant i x snapshot), full.
        change (reach (S (S m))) with (a * (1 + reach (S m))).
        change (reaches (S (S m))) with (reach (S (S m)) + reaches (S m)). change (reach (S (S m))) with (a * (1 + reach (S m))).
        field. lra.
  Qed.
End Epoch.

(** ** The refutations *)

(** Noise that is at most K sqrt m / (n epsilon) times G: one epoch of m steps fails at every large epsilon. *)
Lemma one_epoch_fails_from del K E : 0 < E -> fails_from del (1 / K) E -> 0 < K -> forall eps a prox G eta sigma m n x0,
  E <= eps -> 0 < a <= 1 -> (forall y, prox y = a * y) -> 0 < G -> 0 < eta -> (1 <= m)%nat -> (1 <= n)%nat -> 0 < sigma ->
  sigma * (INR n * eps) <= K * G * sqrt (INR m) -> ~ private (neighbours_of_size n) eps del (fun data =>
    inner_steps (linear_slope G) prox eta sigma data m x0 x0 0 (fun total _ => point (total / INR m))).
Proof.
  intros E0 H K0 eps a prox G eta sigma m n x0 GE A P G0 eta0 m1 N S0 B Z. destruct m as [ | m]. lia.
  pose proof (INR_pos n N) as N0. pose proof (INR_pos (S m) m1) as M0.
  assert (D1 : all_plus n <> []) by (destruct n; [lia | discriminate]). assert (D2 : one_minus n <> []) by discriminate.
  pose proof (epoch_normal_tails a A (linear_slope G) (all_plus n) eta sigma G (INR (S m)) prox D1 (fun z x y => eq_refl)
    (fun x => mean_all_plus G x n N) P eta0 S0 M0 m x0 x0 0) as T1.
  pose proof (epoch_normal_tails a A (linear_slope G) (one_minus n) eta sigma (G - 2 * G / INR n) (INR (S m)) prox D2 (fun z x y => eq_refl)
    (fun x => mean_one_minus G x n N) P eta0 S0 M0 m x0 x0 0) as T2.
  pose proof (squares_pos a A m) as Q. pose proof (sqrt_lt_R0 _ Q) as Q0.
  pose proof (signal_to_noise a A (S m)) as SN.
  assert (R0 : 0 <= reaches a (S m)). { pose proof (reaches_at_least a A (S m)). pose proof (reach_nonneg a A (S m)). nra. }
  assert (SN' : sqrt (INR (S m)) * sqrt (squares a (S m)) <= 2 * reaches a (S m)).
  { rewrite <- sqrt_mult by lra. rewrite <- (sqrt_square (2 * reaches a (S m))) by lra. apply sqrt_le_1_alt. nra. }
  refine (H eps _ _ _ _ _ GE _ T1 T2 _ (Z _ _ (witnesses n N))).
  - apply Rdiv_lt_0_compat; auto. apply Rmult_lt_0_compat; auto. now apply Rmult_lt_0_compat.
  - match goal with |- _ <= Rabs ?v => replace v with (- (eta * (2 * G / INR n) * reaches a (S m) / INR (S m))) by (field; lra) end.
    assert (0 < 2 * G / INR n) by (apply Rdiv_lt_0_compat; lra).
    rewrite Rabs_Ropp, Rabs_pos_eq.
    2: { apply Rdiv_le_0_compat; auto. apply Rmult_le_pos; auto. apply Rmult_le_pos; lra. }
    apply (Rmult_le_reg_r (INR (S m) * K * INR n)). repeat apply Rmult_lt_0_compat; auto.
    replace (1 / K * eps * (eta * sigma * sqrt (squares a (S m)) / INR (S m)) * (INR (S m) * K * INR n))
      with (eta * (sigma * (INR n * eps)) * sqrt (squares a (S m))) by (field; lra).
    replace (eta * (2 * G / INR n) * reaches a (S m) / INR (S m) * (INR (S m) * K * INR n)) with (eta * K * G * (2 * reaches a (S m))) by (field; lra).
    apply Rle_trans with (eta * (K * G * sqrt (INR (S m))) * sqrt (squares a (S m))).
    apply Rmult_le_compat_r. lra. apply Rmult_le_compat_l; lra.
    replace (eta * (K * G * sqrt (INR (S m))) * sqrt (squares a (S m))) with (eta * K * G * (sqrt (INR (S m)) * sqrt (squares a (S m)))) by ring.
    apply Rmult_le_compat_l; auto. left. apply Rmult_lt_0_compat; auto. now apply Rmult_lt_0_compat.
Qed.
Lemma one_epoch_fails del K : del < 1 -> 0 < K -> exists E, 0 < E /\ forall eps a prox G eta sigma m n x0,
  E <= eps -> 0 < a <= 1 -> (forall y, prox y = a * y) -> 0 < G -> 0 < eta -> (1 <= m)%nat -> (1 <= n)%nat -> 0 < sigma ->
  sigma * (INR n * eps) <= K * G * sqrt (INR m) -> ~ private (neighbours_of_size n) eps del (fun data =>
    inner_steps (linear_slope G) prox eta sigma data m x0 x0 0 (fun total _ => point (total / INR m))).
Proof.
  intros D K0. destruct (large_epsilon del (1 / K) D ltac:(apply Rdiv_lt_0_compat; lra)) as (E & E0 & H).
  exists E. split; auto. now apply one_epoch_fails_from.
Qed.

(** A quadratic regulariser: its prox multiplies by 1 / (1 + eta mu), and the objective is strongly convex. *)
Definition ridge (mu x : R) : R := mu / 2 * (x * x).
Lemma ridge_prox mu eta : 0 <= mu -> 0 < eta -> proximal (ridge mu) eta (fun y => 1 / (1 + eta * mu) * y).
Proof.
  intros M E y. split; auto. intros x _. assert (K : 0 < 1 + eta * mu) by nra. unfold ridge.
  set (p := 1 / (1 + eta * mu) * y). assert (Y : y = (1 + eta * mu) * p) by (unfold p; field; lra).
  clearbody p. subst y.
  pose proof (Rle_0_sqr (x - p)) as Q. unfold Rsqr in Q. nra.
Qed.
Lemma ridge_convex mu : 0 <= mu -> convex_on_line (ridge mu).
Proof.
  intros M x y t T. unfold ridge. pose proof (Rle_0_sqr (x - y)) as Q. unfold Rsqr in Q.
  assert (0 <= t * (1 - t) * ((x - y) * (x - y))) by (apply Rmult_le_pos; nra). nra.
Qed.
Lemma mean_linear G (data : list bool) x y t : mean (fun z => linear_loss G z (t * x + (1 - t) * y)) data
  = t * mean (fun z => linear_loss G z x) data + (1 - t) * mean (fun z => linear_loss G z y) data.
Proof.
  unfold mean, Rdiv. rewrite <- !Rmult_assoc, <- Rmult_plus_distr_r. f_equal.
  rewrite <- !Finite.sum_scal, <- Finite.sum_plus. apply Finite.sum_ext. intros z _. unfold linear_loss. ring.
Qed.
Lemma ridge_objective G mu data : strongly_convex (fun x => mean (fun z => linear_loss G z x) data + ridge mu x) mu.
Proof. intros x y t T. rewrite mean_linear. unfold ridge. right. ring. Qed.

Lemma root_value c G k l n eps sigma : 0 < c -> 0 < G -> 0 < l -> 0 <= k -> (1 <= n)%nat -> 0 < eps ->
  sigma = sqrt (c * (G * G) * k * l / (INR n * INR n * (eps * eps))) -> sigma * (INR n * eps) = sqrt (c * l) * G * sqrt k.
Proof.
  intros C G0 L K N E ->. pose proof (INR_pos n N) as P. assert (nE : 0 < INR n * eps) by (apply Rmult_lt_0_compat; auto).
  assert (cl : 0 < c * l) by (apply Rmult_lt_0_compat; auto). assert (GG : 0 < G * G) by (apply Rmult_lt_0_compat; auto).
  assert (Q : 0 <= c * (G * G) * k * l).
  { replace (c * (G * G) * k * l) with (c * l * (G * G) * k) by ring. apply Rmult_le_pos; auto. left. now apply Rmult_lt_0_compat. }
  rewrite <- (sqrt_square (INR n * eps)) by lra. rewrite <- sqrt_mult. 3: nra. 2: { apply Rdiv_le_0_compat; nra. }
  replace (c * (G * G) * k * l / (INR n * INR n * (eps * eps)) * (INR n * eps * (INR n * eps))) with (c * l * (G * G) * k) by (field; lra).
  rewrite sqrt_mult by (auto; left; now apply Rmult_lt_0_compat). rewrite sqrt_mult by lra. rewrite sqrt_square by lra. reflexivity.
Qed.
Lemma svrg_one {X} (g : X -> R -> R) prox eta sigma data m x0 :
  svrg g prox eta sigma data 1 m x0 = inner_steps g prox eta sigma data m x0 x0 0 (fun total _ => point (total / INR m)).
Proof. reflexivity. Qed.
Lemma many_steps c1 eps : 0 < c1 -> exists m, (1 <= m)%nat /\ eps <= c1 * INR m.
Proof.
  intros C. pose proof (Rabs_pos (eps / c1)) as A. pose proof (Rle_abs (eps / c1)) as B.
  destruct (nfloor_ex _ A) as (m & _ & M). exists (S m). split. lia. rewrite S_INR.
  apply (Rmult_lt_compat_l c1) in M; auto. apply (Rmult_le_compat_l c1) in B. 2: lra.
  replace (c1 * (eps / c1)) with eps in B by (field; lra). lra.
Qed.

Lemma variance_reduced_descent_fails_at c del E : 0 < c -> 0 < del < 1 -> 0 < E ->
  fails_from del (1 / sqrt (c * ln (1 / del))) E -> forall eps mu G eta m n x0,
  E <= eps -> 0 < mu -> 0 < G -> 0 < eta -> (1 <= m)%nat -> (1 <= n)%nat -> ~ private (neighbours_of_size n) eps del
    (fun data => svrg (linear_slope G) (fun y => 1 / (1 + eta * mu) * y) eta (equation_3 c G 1 m n eps del) data 1 m x0).
Proof.
  intros C D E0 F eps mu G eta m n x0 GE M G0 eta0 m1 N. pose proof (log_positive del D) as L.
  pose proof (one_epoch_fails_from del (sqrt (c * ln (1 / del))) E E0 F ltac:(apply sqrt_lt_R0; nra)) as H.
  pose proof (INR_pos m m1) as m0. pose proof (INR_pos n N) as n0.
  apply (H eps (1 / (1 + eta * mu)) (fun y => 1 / (1 + eta * mu) * y) G eta); auto.
  - assert (0 < eta * mu) by nra. split. apply Rdiv_lt_0_compat; lra. apply (Rmult_le_reg_r (1 + eta * mu)). lra.
    replace (1 / (1 + eta * mu) * (1 + eta * mu)) with 1 by (field; lra). lra.
  - apply sqrt_lt_R0. apply Rdiv_lt_0_compat. 2: repeat apply Rmult_lt_0_compat; auto; lra. simpl (INR 1). rewrite Rmult_1_l. repeat apply Rmult_lt_0_compat; auto; lra.
  - right. rewrite (root_value c G (INR 1 * INR m) (ln (1 / del)) n eps (equation_3 c G 1 m n eps del) C G0 L ltac:(apply Rmult_le_pos; apply pos_INR) N ltac:(lra) eq_refl).
    simpl (INR 1). now rewrite Rmult_1_l.
Qed.
(** For every constants and every delta below one: at every large epsilon some number of steps is in the range and fails. *)
Theorem variance_reduced_descent_fails c del : 0 < c -> 0 < del < 1 -> exists E, 0 < E /\ forall eps mu G eta m n x0,
  E <= eps -> 0 < mu -> 0 < G -> 0 < eta -> (1 <= m)%nat -> (1 <= n)%nat -> ~ private (neighbours_of_size n) eps del
    (fun data => svrg (linear_slope G) (fun y => 1 / (1 + eta * mu) * y) eta (equation_3 c G 1 m n eps del) data 1 m x0).
Proof.
  intros C D. pose proof (log_positive del D) as L.
  destruct (large_epsilon del (1 / sqrt (c * ln (1 / del))) ltac:(lra)) as (E & E0 & F).
  { apply Rdiv_lt_0_compat. lra. apply sqrt_lt_R0. nra. }
  exists E. split; auto. now apply variance_reduced_descent_fails_at.
Qed.
(** In numbers: for every delta up to 1/4, every epsilon from 1 + 4 c ln (1 / delta) on fails. *)
Theorem variance_reduced_descent_fails_from c del eps mu G eta m n x0 : 0 < c -> 0 < del <= 1 / 4 ->
  1 + 4 * (c * ln (1 / del)) <= eps -> 0 < mu -> 0 < G -> 0 < eta -> (1 <= m)%nat -> (1 <= n)%nat ->
  ~ private (neighbours_of_size n) eps del
    (fun data => svrg (linear_slope G) (fun y => 1 / (1 + eta * mu) * y) eta (equation_3 c G 1 m n eps del) data 1 m x0).
Proof.
  intros C D. pose proof (log_positive del ltac:(lra)) as L. apply variance_reduced_descent_fails_at; auto. lra. nra.
  apply fails_from_root; nra.
Qed.
Theorem theorem_4_1_is_false_for_every_constants : ~ exists c c1, 0 < c /\ 0 < c1 /\ theorem_4_1 c c1.
Proof.
  intros (c & c1 & C & C1 & H). destruct (variance_reduced_descent_fails c (1 / 2) C ltac:(lra)) as (E & E0 & F).
  destruct (many_steps c1 E C1) as (m & m1 & M).
  apply (F E 1 1 (1 / 12) m 1%nat 0); try lra; try lia.
  apply (H bool (linear_loss 1) (linear_slope 1) (ridge 1) _ 1 1 1); try lra; try lia.
  - apply linear_differentiable.
  - apply linear_convex.
  - apply linear_lipschitz. lra.
  - apply linear_smooth. lra.
  - apply ridge_convex. lra.
  - intros. apply ridge_objective.
  - apply ridge_prox; lra.
  - simpl (INR 1). lra.
Qed.
Lemma log_two_positive del : 0 < del < 1 -> 0 < ln (2 / del).
Proof.
  intros D. rewrite <- ln_1. apply ln_increasing. lra. apply (Rmult_lt_reg_r del). lra.
  replace (2 / del * del) with 2 by (field; lra). lra.
Qed.
Lemma variance_reduced_descent_plus_plus_fails_at c del E : 0 < c -> 0 < del < 1 -> 0 < E ->
  fails_from del (1 / sqrt (c * ln (2 / del))) E -> forall eps G eta m n x0,
  E <= eps -> 0 < G -> 0 < eta -> (1 <= m)%nat -> (1 <= n)%nat -> ~ private (neighbours_of_size n) eps del
    (fun data => svrg_plus_plus (linear_slope G) (fun y => y) eta (equation_6 c G 1 m n eps del) data 1 m x0 x0).
Proof.
  intros C D E0 F eps G eta m n x0 GE G0 eta0 m1 N. pose proof (log_two_positive del D) as L.
  pose proof (INR_pos m m1) as m0. pose proof (INR_pos n N) as n0.
  pose proof (one_epoch_fails_from del (sqrt (c * ln (2 / del))) E E0 F ltac:(apply sqrt_lt_R0; nra)) as H.
  apply (H eps 1 (fun y => y) G eta); auto; try lra; try lia; try (intros; ring).
  - apply sqrt_lt_R0. apply Rdiv_lt_0_compat. 2: repeat apply Rmult_lt_0_compat; auto; lra. rewrite pow_1. repeat apply Rmult_lt_0_compat; lra.
  - right. rewrite (root_value c G (2 ^ 1 * INR m) (ln (2 / del)) n eps (equation_6 c G 1 m n eps del) C G0 L ltac:(lra) N ltac:(lra) eq_refl).
    rewrite mult_INR. simpl (INR 2). now rewrite pow_1.
Qed.
Theorem variance_reduced_descent_plus_plus_fails c del : 0 < c -> 0 < del < 1 -> exists E, 0 < E /\ forall eps G eta m n x0,
  E <= eps -> 0 < G -> 0 < eta -> (1 <= m)%nat -> (1 <= n)%nat -> ~ private (neighbours_of_size n) eps del
    (fun data => svrg_plus_plus (linear_slope G) (fun y => y) eta (equation_6 c G 1 m n eps del) data 1 m x0 x0).
Proof.
  intros C D. pose proof (log_two_positive del D) as L.
  destruct (large_epsilon del (1 / sqrt (c * ln (2 / del))) ltac:(lra)) as (E & E0 & F).
  { apply Rdiv_lt_0_compat. lra. apply sqrt_lt_R0. nra. }
  exists E. split; auto. now apply variance_reduced_descent_plus_plus_fails_at.
Qed.
(** In numbers: for every delta up to 1/4, every epsilon from 1 + 4 c ln (2 / delta) on fails. *)
Theorem variance_reduced_descent_plus_plus_fails_from c del eps G eta m n x0 : 0 < c -> 0 < del <= 1 / 4 ->
  1 + 4 * (c * ln (2 / del)) <= eps -> 0 < G -> 0 < eta -> (1 <= m)%nat -> (1 <= n)%nat ->
  ~ private (neighbours_of_size n) eps del
    (fun data => svrg_plus_plus (linear_slope G) (fun y => y) eta (equation_6 c G 1 m n eps del) data 1 m x0 x0).
Proof.
  intros C D. pose proof (log_two_positive del ltac:(lra)) as L.
  apply variance_reduced_descent_plus_plus_fails_at; auto. lra. nra. apply fails_from_root; nra.
Qed.
Theorem theorem_4_3_is_false_for_every_constants : ~ exists c c1, 0 < c /\ 0 < c1 /\ theorem_4_3 c c1.
Proof.
  intros (c & c1 & C & C1 & H). destruct (variance_reduced_descent_plus_plus_fails c (1 / 2) C ltac:(lra)) as (E & E0 & F).
  destruct (many_steps c1 E C1) as (m & m1 & M).
  apply (F E 1 1 m 1%nat 0); try lra; try lia.
  apply (H bool (linear_loss 1) (linear_slope 1) (ridge 0) _ 1 1); try lra; try lia.
  - apply linear_differentiable.
  - apply linear_convex.
  - apply linear_lipschitz. lra.
  - apply linear_smooth. lra.
  - apply ridge_convex. lra.
  - intros y. destruct (ridge_prox 0 1 ltac:(lra) ltac:(lra) y) as [_ B].
    replace (1 / (1 + 1 * 0) * y) with y in B by (field; lra). split; auto.
  - simpl (INR 1). rewrite pow_1. pose proof (INR_pos m m1). nra.
Qed.
(** The factor of the remark does not depend on epsilon: T = m = 1. *)
Theorem remark_4_1_is_false_for_every_constants : ~ exists c c', 0 < c /\ 0 < c' /\ remark_4_1 c c'.
Proof.
  intros (c & c' & C & C' & H). assert (L : 0 < ln (1 / (1 / 2))) by (apply log_positive; lra).
  destruct (one_epoch_fails (1 / 2) (c' * ln (1 / (1 / 2)) * sqrt (c * ln (1 / (1 / 2)))) ltac:(lra)) as (E & E0 & F).
  { repeat apply Rmult_lt_0_compat; auto. apply sqrt_lt_R0. nra. }
  assert (V : equation_3 c 1 1 1 1 E (1 / 2) * (INR 1 * E) = sqrt (c * ln (1 / (1 / 2))) * 1 * sqrt (INR 1 * INR 1)).
  { apply (root_value c 1 (INR 1 * INR 1) (ln (1 / (1 / 2))) 1 E); auto; try lra; try lia. simpl; lra. }
  simpl (INR 1) in V. rewrite !Rmult_1_l, !Rmult_1_r, sqrt_1, Rmult_1_r in V.
  assert (S : 0 < equation_3 c 1 1 1 1 E (1 / 2)).
  { apply (Rmult_lt_reg_r E); auto. rewrite V, Rmult_0_l. apply sqrt_lt_R0. nra. }
  apply (F E (1 / (1 + 1 / 12 * 1)) (fun y => 1 / (1 + 1 / 12 * 1) * y) 1 (1 / 12)
    (c' * ln (1 / (1 / 2)) * equation_3 c 1 1 1 1 E (1 / 2)) 1%nat 1%nat 0); try lra; try lia.
  - intros; reflexivity.
  - repeat apply Rmult_lt_0_compat; auto.
  - simpl (INR 1). rewrite Rmult_1_l, sqrt_1, !Rmult_1_r, Rmult_assoc, V. lra.
  - apply (H bool (linear_loss 1) (linear_slope 1) (ridge 1) _ 1 1 1 (1 / 12) 1%nat 1%nat 1%nat); try lra; try lia.
    + apply linear_differentiable.
    + apply linear_convex.
    + apply linear_lipschitz. lra.
    + apply linear_smooth. lra.
    + apply ridge_convex. lra.
    + intros. apply ridge_objective.
    + apply ridge_prox; lra.
Qed.
