(** * Dynamic privacy-budget allocation: the cost of a step on a random batch (Section 4.3, Theorems 4.9 and 4.10)

    Printed: an iteration on a randomly sampled batch of n of N records, p = n / N, whose noise is divided by n, costs
    c p^2 / sigma_t^2 of the budget, c some constant; so noise for the budget R / p^2 gives R/2-zCDP.
    Poisson sampling under zero-out [poisson_claim] and batches without replacement under replace-one [batch_claim]: no
    constant is right, since at large orders the sampled Gaussian has the divergence of the Gaussian that always draws
    the record.  One step is the same for gradient descent and for momentum (m_2 = g_1). *)
From Coq Require Import Reals Lra Lia List Arith.
From Coquelicot Require Import Coquelicot.
From Dpref Require Import Improper Density Erfc Gaussian.
From Dpref Require Finite.
From Dpref.negations Require Import Laws HalfLines Criteria Losses DynamicBudget.
Import ListNotations.
Open Scope R_scope.

(** ** Batches *)

(** Each record is in the batch with probability p, independently. *)
Fixpoint poisson {X} (p : R) (data : list X) : law (list X) :=
  match data with
  | [] => point []
  | z :: rest => kept <- poisson p rest; coin p (point (z :: kept)) (point kept)
  end.
(** All batches of n records, as sub-lists. *)
Fixpoint batches {X} (n : nat) (data : list X) : list (list X) :=
  match n, data with
  | O, _ => [[]]
  | S _, [] => []
  | S m, z :: rest => map (cons z) (batches m rest) ++ batches n rest
  end.
(** One step on a batch of (expected) size n. *)
Definition sampled_step {X} (sampling : law (list X)) (slope : X -> R) (G : R) (n : nat) (eta sigma x : R) : law R :=
  batch <- sampling;
  nu <- gaussian 0 1;
  point (x - eta * (Finite.sum_over batch slope / INR n + G * sigma * nu / INR n)).
Definition rate (n N : nat) : R := INR n / INR N.
Definition poisson_claim (c : R) : Prop := forall (X : Type) (f g : X -> R -> R) G n N eta sigma x,
  differentiable f g -> lipschitz f G -> 0 < G -> (1 <= n <= N)%nat -> 0 < eta -> 0 < sigma ->
  concentrated (zero_out N) (c * (rate n N * rate n N) / (sigma * sigma))
    (fun data => sampled_step (poisson (rate n N) data) (fun z => null_slope g z x) G n eta sigma x).
Definition batch_claim (c : R) : Prop := forall (X : Type) (f g : X -> R -> R) G n N eta sigma x,
  differentiable f g -> lipschitz f G -> 0 < G -> (1 <= n <= N)%nat -> 0 < eta -> 0 < sigma ->
  concentrated (neighbours_of_size N) (c * (rate n N * rate n N) / (sigma * sigma))
    (fun data => sampled_step (uniform (batches n data)) (fun z => g z x) G n eta sigma x).

Lemma step_given_batch G n eta sigma x total : 0 < G -> (1 <= n)%nat -> 0 < eta -> 0 < sigma ->
  normal_tails (nu <- gaussian 0 1; point (x - eta * (total / INR n + G * sigma * nu / INR n)))
    (x - eta * (total / INR n)) (eta * (G * sigma / INR n)).
Proof.
  intros G0 N E S. pose proof (INR_pos n N) as P.
  assert (K : 0 < eta * (G * sigma / INR n)).
  { apply Rmult_lt_0_compat; auto. apply Rdiv_lt_0_compat; auto. now apply Rmult_lt_0_compat. }
  set (k := eta * (G * sigma / INR n)) in *.
  apply (normal_tails_ext (z <- gaussian 0 1; point (x - eta * (total / INR n) + (- k) * z)) _
    (x - eta * (total / INR n)) (Rabs (- k) * 1)); auto.
  - intros f v (q & H & I). exists q. split; auto. intros z. rewrite <- (H z). unfold point. f_equal. unfold k. field. lra.
  - rewrite Rabs_Ropp, Rabs_pos_eq by lra. ring.
  - apply affine_normal_tails; lra.
Qed.

(** A mixture of two normal laws on half lines: with probability q the mean is c, otherwise c'. *)
Definition mixture_tails (m : law R) (q c c' s : R) : Prop := forall t,
  probability_is m (beyond t) (q * normal_cdf ((c - t) / s) + (1 - q) * normal_cdf ((c' - t) / s)) /\
  probability_is m (fun x => negb (beyond t x))
    (q * (1 - normal_cdf ((c - t) / s)) + (1 - q) * (1 - normal_cdf ((c' - t) / s))).
(** However rare the shifted mean is, no rho below gap^2 / (2 s^2). *)
Theorem mixture_refutes_concentrated {D} (neighbours : D -> D -> Prop) rho (M : D -> law R) d d' q c c' s :
  neighbours d d' -> 0 < q <= 1 -> 0 < s -> mixture_tails (M d) q c c' s -> normal_tails (M d') c' s -> c' < c ->
  rho < (c - c') * (c - c') / (2 * (s * s)) -> ~ concentrated neighbours rho M.
Proof.
  intros N Q S H H' L G. set (mu := (c - c') / s). assert (M0 : 0 < mu) by (apply Rdiv_lt_0_compat; lra).
  destruct (far_tail q mu rho Q M0) as (a & A & B).
  { replace (mu * mu / 2) with ((c - c') * (c - c') / (2 * (s * s))) by (unfold mu; field; lra). exact G. }
  destruct (H (c' + a * mu * s)) as [P P']. destruct (H' (c' + a * mu * s)) as [W W'].
  replace ((c - (c' + a * mu * s)) / s) with (- ((a - 1) * mu)) in P, P' by (unfold mu; field; lra).
  replace ((c' - (c' + a * mu * s)) / s) with (- (a * mu)) in P, P', W, W' by (field; lra).
  pose proof (normal_cdf_bounds (- ((a - 1) * mu))) as B1. pose proof (normal_cdf_bounds (- (a * mu))) as B2.
  assert (R1 : 0 < q * normal_cdf (- ((a - 1) * mu))) by (apply Rmult_lt_0_compat; lra).
  assert (R2 : 0 <= (1 - q) * normal_cdf (- (a * mu))) by (apply Rmult_le_pos; lra).
  apply (event_refutes_concentrated neighbours rho M d d' a _ _ _ _ _ N A P W P' W'); try lra.
  - apply Rplus_le_le_0_compat; apply Rmult_le_pos; lra.
  - apply Rlt_le_trans with (1 := B). apply Rplus_le_compat_r, Rmult_le_compat_l. lra. apply ln_le; lra.
Qed.

(** ** Poisson sampling, zero-out *)

Definition nulls {X} (b : list (option X)) : Prop := List.Forall (fun z => z = None) b.
Lemma poisson_of_nulls {X} p (l : list (option X)) (g : list (option X) -> R) v : nulls l -> (forall b, nulls b -> g b = v) -> poisson p l g v.
Proof.
  intros L. revert g. induction L as [ | z l -> L IH]; intros g H; simpl.
  - apply H. constructor.
  - exists (fun kept => p * g (None :: kept) + (1 - p) * g kept). split.
    + intros kept. exists (g (None :: kept)), (g kept). repeat split.
    + apply IH. intros b B. rewrite (H b B), (H (None :: b)). ring. now constructor.
Qed.
Lemma nulls_repeat {X} n : @nulls X (repeat None n).
Proof. induction n; constructor; auto. Qed.
Lemma sum_of_nulls {X} (g : X -> R -> R) b x : nulls b -> Finite.sum_over b (fun z => null_slope g z x) = 0.
Proof. intros B. induction B as [ | z b -> B IH]; simpl; auto. rewrite IH. ring. Qed.
Section Poisson.
  Variables (G p eta sigma x : R) (n N : nat).
  Hypothesis (G0 : 0 < G) (n0 : (1 <= n)%nat) (E : 0 < eta) (S : 0 < sigma).
  Let slope (z : option bool) : R := null_slope (linear_slope G) z x.
  Let s := eta * (G * sigma / INR n).
  Let mean_at (b : list (option bool)) : R := x - eta * (Finite.sum_over b slope / INR n).
  Let given b := step_given_batch G n eta sigma x (Finite.sum_over b slope) G0 n0 E S.
  Lemma without_the_record : normal_tails (sampled_step (poisson p (no_record N)) slope G n eta sigma x) x s.
  Proof.
    intros t. assert (V : forall b, nulls b -> mean_at b = x).
    { intros b B. unfold mean_at, slope. rewrite sum_of_nulls by auto. field. pose proof (INR_pos n n0). lra. }
    assert (Z : nulls (no_record N)) by (constructor; auto; apply nulls_repeat).
    split.
    - exists (fun b => normal_cdf ((mean_at b - t) / s)). split. intros b. apply (given b t).
      apply poisson_of_nulls; auto. intros b B. now rewrite V.
    - exists (fun b => 1 - normal_cdf ((mean_at b - t) / s)). split. intros b. apply (given b t).
      apply poisson_of_nulls; auto. intros b B. now rewrite V.
  Qed.
  Lemma with_the_record : mixture_tails (sampled_step (poisson p (one_record N)) slope G n eta sigma x) p (x + eta * (G / INR n)) x s.
  Proof.
    intros t. pose proof (INR_pos n n0) as P. assert (V : forall b, nulls b -> mean_at b = x).
    { intros b B. unfold mean_at, slope. rewrite sum_of_nulls by auto. field. lra. }
    assert (W : forall b, nulls b -> mean_at (Some false :: b) = x + eta * (G / INR n)).
    { intros b B. unfold mean_at, slope. simpl. rewrite sum_of_nulls by auto. unfold linear_slope, sign. field. lra. }
    split.
    - exists (fun b => normal_cdf ((mean_at b - t) / s)). split. intros b. apply (given b t).
      exists (fun b => p * normal_cdf ((mean_at (Some false :: b) - t) / s) + (1 - p) * normal_cdf ((mean_at b - t) / s)). split.
      + intros kept. exists (normal_cdf ((mean_at (Some false :: kept) - t) / s)), (normal_cdf ((mean_at kept - t) / s)). repeat split.
      + apply poisson_of_nulls. apply nulls_repeat. intros b B. now rewrite (W b B), (V b B).
    - exists (fun b => 1 - normal_cdf ((mean_at b - t) / s)). split. intros b. apply (given b t).
      exists (fun b => p * (1 - normal_cdf ((mean_at (Some false :: b) - t) / s)) + (1 - p) * (1 - normal_cdf ((mean_at b - t) / s))). split.
      + intros kept. exists (1 - normal_cdf ((mean_at (Some false :: kept) - t) / s)), (1 - normal_cdf ((mean_at kept - t) / s)). repeat split.
      + apply poisson_of_nulls. apply nulls_repeat. intros b B. now rewrite (W b B), (V b B).
  Qed.
  (** No rho below 1 / (2 sigma^2), which the step costs without any sampling. *)
  Theorem poisson_sampling_does_not_amplify rho : (1 <= N)%nat -> 0 < p <= 1 -> rho < 1 / (2 * (sigma * sigma)) ->
    ~ concentrated (zero_out N) rho (fun data => sampled_step (poisson p data) slope G n eta sigma x).
  Proof.
    intros N0 P0 H. pose proof (INR_pos n n0) as P. assert (g0 : 0 < eta * (G / INR n)).
    { apply Rmult_lt_0_compat; auto. now apply Rdiv_lt_0_compat. }
    refine (mixture_refutes_concentrated _ rho _ _ _ p _ _ s (one_record_zero_out N N0) P0 _ with_the_record without_the_record _ _).
    - unfold s. apply Rmult_lt_0_compat; auto. apply Rdiv_lt_0_compat; auto. now apply Rmult_lt_0_compat.
    - lra.
    - match goal with |- _ < ?v => replace v with (1 / (2 * (sigma * sigma))) by (unfold s; field; lra) end. exact H.
  Qed.
End Poisson.
(** The printed budget: noise for R / p^2, one step, at any rate below one. *)
Theorem section_4_3_budget_is_false G budget n N eta x : 0 < G -> 0 < budget -> (1 <= n < N)%nat -> 0 < eta ->
  ~ concentrated (zero_out N) (budget / 2) (fun data =>
      sampled_step (poisson (rate n N) data) (fun z => null_slope (linear_slope G) z x) G n eta (sqrt (rate n N * rate n N / budget)) x).
Proof.
  intros G0 B N0 E. pose proof (INR_pos n ltac:(lia)) as P. pose proof (INR_pos N ltac:(lia)) as Q. pose proof (lt_INR n N ltac:(lia)) as L.
  assert (p0 : 0 < rate n N < 1).
  { split. now apply Rdiv_lt_0_compat. apply (Rmult_lt_reg_r (INR N)); auto. unfold rate. replace (INR n / INR N * INR N) with (INR n) by (field; lra). lra. }
  assert (v0 : 0 < rate n N * rate n N / budget) by (apply Rdiv_lt_0_compat; nra).
  apply (poisson_sampling_does_not_amplify G (rate n N) eta _ x n N); auto; try lia; try lra. now apply sqrt_lt_R0.
  rewrite sqrt_sqrt by lra. replace (1 / (2 * (rate n N * rate n N / budget))) with (budget / 2 * / (rate n N * rate n N)) by (field; lra).
  assert (1 < / (rate n N * rate n N)). { rewrite <- Rinv_1 at 1. apply Rinv_lt_contravar; nra. } nra.
Qed.
(** No constant serves every rate. *)
Lemma small_rate c : 0 < c -> exists N, (1 <= N)%nat /\ c * (rate 1 N * rate 1 N) < 1 / 2.
Proof.
  intros C. destruct (nfloor_ex (2 * c) ltac:(lra)) as (k & _ & K). exists (S k). split. lia.
  pose proof (INR_pos (S k) ltac:(lia)) as P. assert (1 <= INR (S k)) by (apply (le_INR 1); lia). rewrite <- S_INR in K.
  unfold rate. replace (INR 1) with 1 by reflexivity.
  replace (c * (1 / INR (S k) * (1 / INR (S k)))) with (c / (INR (S k) * INR (S k))) by (field; lra).
  apply (Rmult_lt_reg_r (INR (S k) * INR (S k))). nra.
  replace (c / (INR (S k) * INR (S k)) * (INR (S k) * INR (S k))) with c by (field; lra). nra.
Qed.
Theorem section_4_3_is_false_for_poisson_batches : ~ exists c, 0 < c /\ poisson_claim c.
Proof.
  intros (c & C & H). destruct (small_rate c C) as (N & N0 & L). pose proof (INR_pos N N0) as P.
  assert (1 <= INR N) by (apply (le_INR 1); lia).
  assert (p0 : 0 < rate 1 N <= 1).
  { unfold rate. replace (INR 1) with 1 by reflexivity. split. apply Rdiv_lt_0_compat; lra.
    apply (Rmult_le_reg_r (INR N)); auto. replace (1 / INR N * INR N) with 1 by (field; lra). lra. }
  apply (poisson_sampling_does_not_amplify 1 (rate 1 N) 1 1 0 1 N ltac:(lra) ltac:(lia) ltac:(lra) ltac:(lra)
    (c * (rate 1 N * rate 1 N) / (1 * 1))); auto. lra.
  apply (H bool (linear_loss 1) (linear_slope 1) 1 1%nat N 1 1 0); try lra; try lia.
  apply linear_differentiable. apply linear_lipschitz; lra.
Qed.

(** ** Batches without replacement, replace-one *)

Lemma batches_of_plus k : forall n, List.Forall (fun b => b = repeat true n) (batches n (repeat true k)).
Proof.
  induction k; intros [ | n]; simpl; auto. apply Forall_app. split. 2: exact (IHk (S n)).
  apply Forall_forall. intros b B. apply in_map_iff in B. destruct B as (b' & <- & I).
  now rewrite (proj1 (Forall_forall _ _) (IHk n) b' I).
Qed.
Lemma some_batch k : forall n, (n <= k)%nat -> (1 <= length (batches n (repeat true k)))%nat.
Proof.
  induction k; intros [ | n] H; simpl; try lia. rewrite app_length, map_length. pose proof (IHk n ltac:(lia)). lia.
Qed.
Lemma sum_constant {Y} (l : list Y) g v : List.Forall (fun b => g b = v) l -> Finite.sum_over l g = INR (length l) * v.
Proof. intros H. induction H. simpl. ring. change (length (x :: l)) with (S (length l)). rewrite S_INR. simpl. rewrite IHForall, H. ring. Qed.
Lemma uniform_with_minus m k (g : list bool -> R) : (m <= k)%nat ->
  let w := INR (length (batches m (repeat true k))) in let o := INR (length (batches (S m) (repeat true k))) in
  uniform (batches (S m) (false :: repeat true k)) g
    (w / (w + o) * g (false :: repeat true m) + (1 - w / (w + o)) * g (repeat true (S m))).
Proof.
  intros H w o. pose proof (le_INR 1 _ (some_batch k m H)) as W. pose proof (pos_INR (length (batches (S m) (repeat true k)))) as O.
  simpl (INR 1) in W. fold w in W. fold o in O. unfold uniform. simpl batches.
  rewrite app_length, map_length, plus_INR, Finite.sum_app, Finite.sum_map. fold w. fold o.
  rewrite (sum_constant (batches m (repeat true k)) _ (g (false :: repeat true m))).
  rewrite (sum_constant (batches (S m) (repeat true k)) g (g (repeat true (S m)))). fold w. fold o. field. lra.
  eapply Forall_impl. 2: apply batches_of_plus. intros b ->. reflexivity.
  eapply Forall_impl. 2: apply batches_of_plus. intros b ->. reflexivity.
Qed.
Section Batches.
  Variables (G eta sigma x : R) (n N : nat).
  Hypothesis (G0 : 0 < G) (n0 : (1 <= n <= N)%nat) (E : 0 < eta) (S0 : 0 < sigma).
  Let slope (z : bool) : R := linear_slope G z x.
  Let s := eta * (G * sigma / INR n).
  Let mean_at (b : list bool) : R := x - eta * (Finite.sum_over b slope / INR n).
  Let given b := step_given_batch G n eta sigma x (Finite.sum_over b slope) G0 (proj1 n0) E S0.
  Let c' := x - eta * G.
  Let c := x - eta * (G - 2 * G / INR n).
  Let with_minus := length (batches (n - 1) (repeat true (N - 1))).
  Let without_minus := length (batches n (repeat true (N - 1))).
  Definition drawn : R := INR with_minus / (INR with_minus + INR without_minus).
  Let P : 0 < INR n. Proof. apply INR_pos. lia. Qed.
  Let some : 1 <= INR with_minus. Proof. apply (le_INR 1). apply some_batch. lia. Qed.
  Let others : 0 <= INR without_minus. Proof. apply pos_INR. Qed.
  Let at_plus : mean_at (repeat true n) = c'.
  Proof. unfold mean_at, slope. rewrite sum_over_repeat. unfold linear_slope, sign, c'. field. lra. Qed.
  Let at_minus : mean_at (false :: repeat true (n - 1)) = c.
  Proof.
    unfold mean_at, slope. simpl Finite.sum_over. rewrite sum_over_repeat, minus_INR by lia. unfold linear_slope, sign, c. simpl (INR 1). field. lra.
  Qed.
  Lemma batches_without : normal_tails (sampled_step (uniform (batches n (all_plus N))) slope G n eta sigma x) c' s.
  Proof.
    intros t. pose proof (some_batch N n ltac:(lia)) as L. pose proof (INR_pos _ L) as L0.
    assert (U : forall g : list bool -> R, uniform (batches n (all_plus N)) g (g (repeat true n))).
    { intros g. unfold uniform, all_plus. rewrite (sum_constant _ g (g (repeat true n))). field. lra.
      eapply Forall_impl. 2: apply batches_of_plus. intros b ->. reflexivity. }
    rewrite <- at_plus. split.
    - exists (fun b => normal_cdf ((mean_at b - t) / s)). split. intros b. apply (given b t).
      exact (U (fun b => normal_cdf ((mean_at b - t) / s))).
    - exists (fun b => 1 - normal_cdf ((mean_at b - t) / s)). split. intros b. apply (given b t).
      exact (U (fun b => 1 - normal_cdf ((mean_at b - t) / s))).
  Qed.
  Lemma batches_with : mixture_tails (sampled_step (uniform (batches n (one_minus N))) slope G n eta sigma x) drawn c c' s.
  Proof.
    intros t. assert (U : forall g : list bool -> R, uniform (batches n (one_minus N)) g
      (drawn * g (false :: repeat true (n - 1)) + (1 - drawn) * g (repeat true n))).
    { intros g. pose proof (uniform_with_minus (n - 1) (N - 1) g ltac:(lia)) as U. cbv zeta in U.
      rewrite <- (Nat.sub_succ_l 1 n) in U by lia. simpl (Datatypes.S n - 1)%nat in U. rewrite Nat.sub_0_r in U. exact U. }
    rewrite <- at_plus, <- at_minus. split.
    - exists (fun b => normal_cdf ((mean_at b - t) / s)). split. intros b. apply (given b t).
      exact (U (fun b => normal_cdf ((mean_at b - t) / s))).
    - exists (fun b => 1 - normal_cdf ((mean_at b - t) / s)). split. intros b. apply (given b t).
      exact (U (fun b => 1 - normal_cdf ((mean_at b - t) / s))).
  Qed.
  (** No rho below 2 / sigma^2, which the step costs under replace-one without any sampling. *)
  Theorem batches_do_not_amplify rho : rho < 2 / (sigma * sigma) ->
    ~ concentrated (neighbours_of_size N) rho (fun data => sampled_step (uniform (batches n data)) slope G n eta sigma x).
  Proof.
    intros H. assert (g0 : 0 < eta * (G / INR n)) by (apply Rmult_lt_0_compat; auto; now apply Rdiv_lt_0_compat).
    assert (D : 0 < drawn <= 1).
    { unfold drawn. split. apply Rdiv_lt_0_compat; lra. apply (Rmult_le_reg_r (INR with_minus + INR without_minus)). lra.
      replace (INR with_minus / (INR with_minus + INR without_minus) * (INR with_minus + INR without_minus)) with (INR with_minus) by (field; lra). lra. }
    assert (gap : c - c' = 2 * (eta * (G / INR n))) by (unfold c, c'; field; lra).
    refine (mixture_refutes_concentrated _ rho _ _ _ drawn c c' s (witnesses_reversed N ltac:(lia)) D _ batches_with batches_without _ _).
    - unfold s. apply Rmult_lt_0_compat; auto. apply Rdiv_lt_0_compat; auto. now apply Rmult_lt_0_compat.
    - lra.
    - rewrite gap. match goal with |- _ < ?v => replace v with (2 / (sigma * sigma)) by (unfold s; field; lra) end. exact H.
  Qed.
End Batches.
Theorem section_4_3_is_false_for_batches_without_replacement : ~ exists c, 0 < c /\ batch_claim c.
Proof.
  intros (c & C & H). destruct (small_rate c C) as (N & N0 & L).
  apply (batches_do_not_amplify 1 1 1 0 1 N ltac:(lra) ltac:(lia) ltac:(lra) ltac:(lra) (c * (rate 1 N * rate 1 N) / (1 * 1))). lra.
  apply (H bool (linear_loss 1) (linear_slope 1) 1 1%nat N 1 1 0); try lra; try lia.
  apply linear_differentiable. apply linear_lipschitz; lra.
Qed.
