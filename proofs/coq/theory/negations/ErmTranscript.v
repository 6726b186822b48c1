(** * Differentially private empirical risk minimization revisited: the numbers of Appendix A

    Neighbours differ in one record (replace-one); parameters on the real line (p = 1).
    Appendix A trains on n = 200000 records with T = 15, m = 5000, epsilon down to 0.2 and delta = 0.001.  Read as
    Theorem 4.1 without its range [appendix_a]: for all losses of the theorem's class and all its step sizes, the iterates
    of DP-SVRG with the noise of Eq. (3), which the paper's proof composes, are (0.2, 0.001)-private.
    Refuted for every c up to 25, by the first epoch alone.  One data set holds a marked record with a kinked loss; the
    regulariser draws the first iterate beyond the kink, where each step that samples the mark moves the other way.
    The event: some step of the first epoch moves less than half as far as without noise. *)
From Coq Require Import Reals Lra Lia List Psatz.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
From Dpref Require Import Improper Density Erfc Gaussian.
From Dpref Require Finite.
From Dpref.negations Require Import Laws HalfLines Criteria Losses ErmRevisited ErmVarianceReduction ErmSampledIndex KlAdaptive.
Import ListNotations.
Open Scope R_scope.

(** ** Algorithm 1, with every iterate released *)

Section Algorithm.
  Context {X : Type}.
  Variables (slope : X -> R -> R) (prox : R -> R) (eta sigma : R) (data : list X).
  Fixpoint shown_steps (m : nat) (snapshot x total : R) (next : R -> law (list R)) : law (list R) :=
    match m with
    | O => next total
    | S m =>
        i <- uniform data;
        u <- gaussian 0 sigma;
        let v := slope i x - slope i snapshot + mean (fun z => slope z snapshot) data + u in
        let x' := prox (x - eta * v) in
        rest <- shown_steps m snapshot x' (total + x') next;
        point (x' :: rest)
    end.
  Fixpoint transcript (T m : nat) (snapshot : R) : law (list R) :=
    match T with
    | O => point []
    | S T => shown_steps m snapshot snapshot 0 (fun total => transcript T m (total / INR m))
    end.
End Algorithm.

Lemma linear_uniform {A} (l : list A) : linear (uniform l).
Proof.
  intros f g u v p q H K. unfold uniform in *. subst u v. rewrite Finite.sum_plus, !Finite.sum_scal. unfold Rdiv. ring.
Qed.
Lemma uniform_constant {A} (l : list A) c : l <> [] -> uniform l (fun _ => c) c.
Proof.
  intros H. unfold uniform. replace (Finite.sum_over l (fun _ => c)) with (INR (length l) * c).
  field. apply not_0_INR. destruct l; simpl; [easy | lia].
  clear H. induction l as [ | z l IH]. simpl; ring. change (length (z :: l)) with (S (length l)). rewrite S_INR.
  simpl. rewrite <- IH. ring.
Qed.
Section Laws.
  Context {X : Type}.
  Variables (slope : X -> R -> R) (prox : R -> R) (eta sigma : R) (data : list X).
  Hypothesis (sigma0 : 0 < sigma) (some : data <> []).
  Lemma gaussian_constant c : gaussian 0 sigma (fun _ => c) c.
  Proof. pose proof (integral_scal _ c _ (normal_integral 0 sigma sigma0)) as I. rewrite Rmult_1_r in I. exact I. Qed.
  Lemma linear_shown m : forall snapshot x total (next : R -> law (list R)), (forall t, linear (next t)) ->
    linear (shown_steps slope prox eta sigma data m snapshot x total next).
  Proof.
    induction m as [ | m IH]; intros snapshot x total next L. apply L. simpl. apply linear_bind. apply linear_uniform.
    intros i. apply linear_bind. apply linear_gaussian. intros u. apply linear_bind. now apply IH. intros; apply linear_point.
  Qed.
  Lemma constant_shown m c : forall snapshot x total (next : R -> law (list R)), (forall t, next t (fun _ => c) c) ->
    shown_steps slope prox eta sigma data m snapshot x total next (fun _ => c) c.
  Proof.
    induction m as [ | m IH]; intros snapshot x total next H. apply H. simpl. exists (fun _ => c). split. 2: now apply uniform_constant.
    intros i. exists (fun _ => c). split. 2: apply gaussian_constant. intros u. exists (fun _ => c). split. reflexivity. now apply IH.
  Qed.
  Lemma linear_transcript m T : forall snapshot, linear (transcript slope prox eta sigma data T m snapshot).
  Proof. induction T; intros s. apply linear_point. simpl. now apply linear_shown. Qed.
  Lemma constant_transcript m T c : forall snapshot, transcript slope prox eta sigma data T m snapshot (fun _ => c) c.
  Proof. induction T; intros s. reflexivity. simpl. now apply constant_shown. Qed.
End Laws.

(** ** The event *)

Section FirstEpoch.
  Variables (a b G L eta sigma : R) (n : nat) (prox : R -> R).
  Hypothesis (a0 : 0 < a) (prox_moves : forall y, prox y = a * y + b) (G0 : 0 < G) (L0 : 0 < L) (eta0 : 0 < eta).
  Hypothesis (beyond_kink : 2 * G <= L * b) (sigma0 : 0 < sigma) (n0 : (1 <= n)%nat).
  Let slope := marked_slope G L.
  Let b0 : 0 < b. Proof. nra. Qed.
  (** The first k steps after x move as far as a slope of - G / 2 would, or farther. *)
  Fixpoint onward (k : nat) (x : R) (iterates : list R) : bool :=
    match k, iterates with
    | O, _ => true
    | S k, x' :: rest => if Rlt_dec (prox (x + eta * (G / 2))) x' then onward k x' rest else false
    | S _, [] => false
    end.
  Definition turns_back (k : nat) (iterates : list R) : bool := negb (onward k 0 iterates).

  Let chance (i : bool) x := normal_cdf ((- (G / 2) - slope i x) / sigma).
  Let at_0 (data : list bool) : data <> [] -> mean (fun z => slope z 0) data = - G.
  Proof.
    intros H. pose proof (uniform_constant data (- G) H) as U. unfold uniform in U. unfold mean. rewrite <- U. f_equal.
    f_equal. apply FunctionalExtensionality.functional_extensionality. intros z. unfold slope, marked_slope.
    destruct z; rewrite ?kink_at_0; lra.
  Qed.
  Let one_step data k (next : R -> law (list R)) x total V p : data <> [] -> (forall t c, next t (fun _ => c) c) -> 0 <= x ->
    (forall x' total', b <= x' -> shown_steps slope prox eta sigma data k 0 x' total' next (indicator (onward k x')) p) ->
    Finite.sum_over data (fun i => chance i x) / INR (length data) = V ->
    shown_steps slope prox eta sigma data (S k) 0 x total next (indicator (onward (S k) x)) (V * p).
  Proof.
    intros D C X H E. exists (fun i => chance i x * p). split.
    2: { unfold uniform. rewrite <- E. rewrite (Finite.sum_ext data _ (fun i => p * chance i x)). rewrite Finite.sum_scal. unfold Rdiv. ring.
         intros; ring. }
    intros i. set (t := - (G / 2) - slope i x). exists (fun u => if Rlt_dec u t then p else 0). split.
    - intros u. set (x' := prox (x - eta * (slope i x - slope i 0 + mean (fun z => slope z 0) data + u))).
      assert (B : prox (x + eta * (G / 2)) < x' <-> u < t).
      { unfold x'. rewrite at_0, !prox_moves by auto. replace (slope i 0) with (- G) by (unfold slope, marked_slope; destruct i; rewrite ?kink_at_0 by lra; reflexivity).
        unfold t. split; intros Q.
        - apply (Rmult_lt_reg_l (a * eta)). nra. nra.
        - apply (Rmult_lt_compat_l (a * eta)) in Q. 2: nra. nra. }
      exists (fun rest => indicator (onward (S k) x) (x' :: rest)). split. reflexivity.
      change (shown_steps slope prox eta sigma data k 0 x' (total + x') next
        (fun rest => indicator (onward (S k) x) (x' :: rest)) (if Rlt_dec u t then p else 0)).
      assert (F : forall rest, indicator (onward (S k) x) (x' :: rest) = if Rlt_dec u t then indicator (onward k x') rest else 0).
      { intros rest. unfold indicator. simpl. destruct (Rlt_dec (prox (x + eta * (G / 2))) x'), (Rlt_dec u t); tauto. }
      apply FunctionalExtensionality.functional_extensionality in F. rewrite F. destruct (Rlt_dec u t) as [h | h].
      + apply H. apply B in h. rewrite prox_moves in h. assert (0 <= eta * (G / 2)) by nra.
        assert (0 <= a * (x + eta * (G / 2))) by (apply Rmult_le_pos; lra). lra.
      + apply constant_shown; auto.
    - pose proof (integral_scal _ p _ (normal_before 0 sigma t sigma0)) as I. rewrite Rminus_0_r in I.
      unfold gaussian. replace (chance i x * p) with (p * normal_cdf (t / sigma)) by (unfold chance, t; ring).
      refine (integral_ext _ _ _ _ I). intros u. unfold restricted, before. destruct (Rlt_dec u t); ring.
  Qed.
  (** Every step goes onward with the same chance once the kink is behind. *)
  Let q := normal_cdf (- (G / 2 / sigma)).
  Let chance_unmarked x : chance false x = 1 - q.
  Proof. unfold chance, q, slope, marked_slope. rewrite normal_cdf_opp. replace ((- (G / 2) - - G) / sigma) with (G / 2 / sigma) by (field; lra). ring. Qed.
  Let chance_at_0 i : chance i 0 = 1 - q.
  Proof. rewrite <- (chance_unmarked 0). unfold chance, slope, marked_slope. destruct i; rewrite ?kink_at_0 by lra; reflexivity. Qed.
  Let chance_marked x : b <= x -> chance true x = normal_cdf (- (3 * G / 2 / sigma)).
  Proof.
    intros B. unfold chance, slope, marked_slope. rewrite kink_far by nra. f_equal. field. lra.
  Qed.
  Let steps data V (next : R -> law (list R)) : data <> [] -> (forall t c, next t (fun _ => c) c) ->
    (forall x, b <= x -> Finite.sum_over data (fun i => chance i x) / INR (length data) = V) ->
    forall k x total, b <= x -> shown_steps slope prox eta sigma data k 0 x total next (indicator (onward k x)) (V ^ k).
  Proof.
    intros D C H k. induction k as [ | k IH]; intros x total B. exact (C total 1). simpl pow.
    apply one_step; auto. lra.
  Qed.
  Let epoch data V k T : data <> [] -> (forall x, b <= x -> Finite.sum_over data (fun i => chance i x) / INR (length data) = V) ->
    probability_is (transcript slope prox eta sigma data (S T) (S k) 0) (turns_back (S k)) (1 - (1 - q) * V ^ k).
  Proof.
    intros D H. apply complement.
    - now apply linear_transcript.
    - now apply constant_transcript.
    - unfold probability_is. cbn [transcript].
      assert (N : forall t c, transcript slope prox eta sigma data T (S k) (t / INR (S k)) (fun _ => c) c)
        by (intros; now apply constant_transcript).
      refine (one_step data k _ 0 0 (1 - q) (V ^ k) D N (Rle_refl 0) _ _).
      + intros x' total B. exact (steps data V _ D N H k x' total B).
      + pose proof (uniform_constant data (1 - q) D) as U. unfold uniform in U. rewrite <- U. f_equal.
        apply Finite.sum_ext. intros i _. apply chance_at_0.
  Qed.
  Let without_mark_epoch k T :
    probability_is (transcript slope prox eta sigma (without_mark n) (S T) (S k) 0) (turns_back (S k)) (1 - (1 - q) ^ S k).
  Proof.
    simpl pow. apply epoch. discriminate. intros x _. unfold without_mark.
    replace (Finite.sum_over (false :: repeat false (n - 1)) (fun i => chance i x)) with (INR n * (1 - q)).
    - simpl length. rewrite repeat_length. replace (S (n - 1)) with n by lia. field. apply not_0_INR. lia.
    - simpl. rewrite sum_over_repeat, chance_unmarked, minus_INR by lia. simpl (INR 1). ring.
  Qed.
  Let sampled := (normal_cdf (- (3 * G / 2 / sigma)) + INR (n - 1) * (1 - q)) / INR n.
  Let with_mark_epoch k T :
    probability_is (transcript slope prox eta sigma (with_mark n) (S T) (S k) 0) (turns_back (S k)) (1 - (1 - q) * sampled ^ k).
  Proof.
    apply epoch. discriminate. intros x B. unfold with_mark, sampled. simpl Finite.sum_over. rewrite sum_over_repeat, chance_unmarked, chance_marked by auto.
    simpl length. rewrite repeat_length. do 2 f_equal. lia.
  Qed.
  Let exp_power y k : exp y ^ k = exp (INR k * y).
  Proof. induction k. simpl. now rewrite Rmult_0_l, exp_0. rewrite S_INR. simpl. rewrite IHk, <- exp_plus. f_equal. ring. Qed.
  Let bernoulli x k : 0 <= x <= 1 -> 1 - INR k * x <= (1 - x) ^ k.
  Proof.
    intros H. induction k. simpl. lra. rewrite S_INR. simpl. pose proof (pos_INR k).
    assert (0 <= INR k * x) by (apply Rmult_le_pos; lra).
    apply Rle_trans with ((1 - x) * (1 - INR k * x)). nra. apply Rmult_le_compat_l; lra.
  Qed.
  (** In 1 + k steps the mark is sampled with a chance that delta does not cover. *)
  Theorem first_epoch_shows eps del k T :
    exp eps * (INR (S k) * normal_cdf (- (G / 2 / sigma))) + del < 1 - exp (- (INR k / (2 * INR n))) ->
    ~ private (neighbours_of_size n) eps del (fun data => transcript slope prox eta sigma data (S T) (S k) 0).
  Proof.
    intros H. fold q in H. assert (n1 : 0 < INR n) by (apply INR_pos; auto). pose proof (normal_cdf_bounds (- (G / 2 / sigma))) as Q. fold q in Q.
    refine (event_refutes _ eps del _ _ _ _ _ _ (marked_neighbours n n0) (with_mark_epoch k T) (without_mark_epoch k T) _).
    apply Rle_lt_trans with (exp eps * (INR (S k) * q) + del).
    - apply Rplus_le_compat_r. apply Rmult_le_compat_l. left; apply exp_pos. pose proof (bernoulli q (S k) ltac:(lra)). lra.
    - apply Rlt_le_trans with (1 := H). enough ((1 - q) * sampled ^ k <= exp (- (INR k / (2 * INR n)))) by lra.
      assert (W : 0 < normal_cdf (- (3 * G / 2 / sigma)) <= / 2).
      { split. apply normal_cdf_bounds. replace (/ 2) with (normal_cdf 0) by (rewrite normal_cdf_0; field). apply normal_cdf_le.
        assert (0 < 3 * G / 2 / sigma) by (apply Rdiv_lt_0_compat; lra). lra. }
      assert (N1 : INR (n - 1) = INR n - 1) by (rewrite minus_INR by lia; simpl; ring).
      assert (n2 : 1 <= INR n) by (apply (le_INR 1); lia).
      assert (V : 0 <= sampled <= exp (- (/ (2 * INR n)))).
      { split. unfold sampled. apply Rdiv_le_0_compat; auto. rewrite N1. nra.
        apply Rle_trans with (1 + - (/ (2 * INR n))). 2: apply exp_ineq1_le.
        unfold sampled. rewrite N1. apply (Rmult_le_reg_r (INR n)); auto.
        replace ((1 + - / (2 * INR n)) * INR n) with (INR n - / 2) by (field; lra). unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. nra. }
      pose proof (pow_incr _ _ k V) as P. rewrite exp_power in P. pose proof (pow_le sampled k ltac:(lra)).
      replace (- (INR k / (2 * INR n))) with (INR k * - / (2 * INR n)) by (field; lra). nra.
  Qed.
End FirstEpoch.

(** ** The statement and its refutation *)

Definition appendix_a (c : R) : Prop :=
  let eps := 1 / 5 in let del := 1 / 1000 in let n := 200000%nat in let T := 15%nat in let m := 5000%nat in
  forall (X : Type) (f g : X -> R -> R) (r prox : R -> R) G L mu eta x0,
  differentiable f g -> (forall z, convex_on_line (f z)) -> lipschitz f G -> smooth g L ->
  convex_on_line r -> (forall data, length data = n -> strongly_convex (fun x => mean (fun z => f z x) data + r x) mu) ->
  0 < G -> 0 < L -> 0 < mu -> 0 < eta <= 1 / (12 * L) -> proximal r eta prox ->
  private (neighbours_of_size n) eps del (fun data => transcript g prox eta (equation_3 c G T m n eps del) data T m x0).

(** The regulariser 6 (x - 8)^2, at the step size 1/12. *)
Definition drawing (x : R) : R := 6 * ((x - 8) * (x - 8)).
Definition drawn (y : R) : R := 1 / 2 * y + 4.
Lemma drawing_prox : proximal drawing (1 / 12) drawn.
Proof. intros y. split; auto. intros x _. unfold drawing, drawn. pose proof (Rle_0_sqr (x - (1 / 2 * y + 4))) as Q. unfold Rsqr in Q. nra. Qed.
Lemma drawing_convex : convex_on_line drawing.
Proof. intros x y t T. unfold drawing. pose proof (Rle_0_sqr (x - y)) as Q. unfold Rsqr in Q. assert (0 <= t * (1 - t)) by nra. nra. Qed.
Lemma drawing_objective data : strongly_convex (fun x => mean (fun z => marked_loss 1 1 z x) data + drawing x) 12.
Proof.
  intros x y t T. pose proof (mean_of_convex (marked_loss 1 1) data (fun z => marked_convex 1 1 z ltac:(lra) ltac:(lra)) x y t T) as C.
  unfold drawing. cbv beta in C. lra.
Qed.
Lemma records_of_the_experiment : INR 200000 = 200000.
Proof. rewrite INR_IZR_INZ. apply f_equal. vm_compute. reflexivity. Qed.
Lemma steps_of_an_epoch : INR 5000 = 5000 /\ INR 4999 = 4999.
Proof. rewrite !INR_IZR_INZ. split; apply f_equal; vm_compute; reflexivity. Qed.
Theorem appendix_a_fails c : 0 < c <= 25 ->
  let eps := 1 / 5 in let del := 1 / 1000 in let n := 200000%nat in let T := 15%nat in let m := 5000%nat in
  ~ private (neighbours_of_size n) eps del
      (fun data => transcript (marked_slope 1 1) drawn (1 / 12) (equation_3 c 1 T m n eps del) data T m 0).
Proof.
  intros C eps del n T m. set (s := equation_3 c 1 T m n eps del). destruct steps_of_an_epoch as [M K].
  assert (V : s * s = c * ln 1000 * (15 * 5000) / (200000 * 200000 * (1 / 25))).
  { assert (P : 0 < ln 1000) by interval. unfold s, equation_3, n, m, T. rewrite records_of_the_experiment, M, sqrt_sqrt.
    - unfold eps, del. replace (1 / (1 / 1000)) with 1000 by field. simpl (INR 15). field.
    - unfold eps, del. replace (1 / (1 / 1000)) with 1000 by field. simpl (INR 15). apply Rdiv_le_0_compat. nra. lra. }
  assert (S2 : 0 < s * s <= 81 / 10000).
  { rewrite V. assert (6 <= ln 1000 <= 691 / 100) by (split; interval). split. nra. nra. }
  assert (S0 : 0 < s). { assert (0 <= s) by apply sqrt_pos. nra. }
  assert (S1 : s <= 9 / 100) by nra.
  apply (first_epoch_shows (1 / 2) 4 1 1 (1 / 12) s n drawn); try lra; auto.
  - unfold n. apply INR_le. rewrite records_of_the_experiment. simpl. lra.
  - unfold n. rewrite records_of_the_experiment, K. change (S 4999) with 5000%nat. rewrite M.
    assert (X : 50 / 9 <= 1 / 2 / s).
    { apply (Rmult_le_reg_r s); auto. replace (1 / 2 / s * s) with (1 / 2) by (field; lra). lra. }
    pose proof (normal_cdf_le (- (1 / 2 / s)) (- (50 / 9)) ltac:(lra)) as A. pose proof (normal_cdf_upper (50 / 9) ltac:(lra)) as B.
    assert (Z : exp (- (50 / 9 * (50 / 9) / 2)) <= 1 / 1000000) by interval.
    assert (E : exp eps <= 5 / 4) by (unfold eps; interval). pose proof (exp_pos eps).
    assert (Y : exp (- (4999 / (2 * 200000))) <= 988 / 1000) by interval.
    pose proof (normal_cdf_bounds (- (1 / 2 / s))). unfold del.
    assert (exp eps * (5000 * normal_cdf (- (1 / 2 / s))) <= 5 / 4 * (5000 * (1 / 2000000))) by (apply Rmult_le_compat; lra).
    lra.
Qed.
Theorem appendix_a_is_false : forall c, 0 < c <= 25 -> ~ appendix_a c.
Proof.
  intros c C H. apply (appendix_a_fails c C).
  apply (H bool (marked_loss 1 1) (marked_slope 1 1) drawing drawn 1 1 12 (1 / 12) 0); try lra; auto.
  - apply marked_differentiable.
  - intros z. apply marked_convex; lra.
  - apply marked_lipschitz. lra.
  - apply marked_smooth; lra.
  - apply drawing_convex.
  - intros. apply drawing_objective.
  - apply drawing_prox.
Qed.
