(** * Dynamic privacy-budget allocation: Section 4.4, boosting to high probability

    Section 4.4 [section_4_4]: k runs with the budget R / k each are still of the budget R, and one of them is good.
    The print does not say who finds it.  Here the best by the empirical risk is returned, the only reading in which a
    good run is handed over at no cost; neighbours differ in one record (replace-one).
    Two records tie all others, which are null: which candidate is the best depends on the one record alone, without
    noise.  The event: the returned point is far out on the side that the one data set prefers.  No rho bounds it. *)
From Coq Require Import Reals Lra Lia List FunctionalExtensionality.
From Coquelicot Require Import Coquelicot.
From Dpref Require Import Improper Density Erfc Gaussian.
From Dpref Require Finite.
From Dpref.negations Require Import Laws HalfLines Criteria Losses DynamicBudget.
Import ListNotations.
Open Scope R_scope.

(** ** Boosting *)

(** A program run j times, each time with noise of its own. *)
Fixpoint independent (j : nat) (m : law R) : law (list R) :=
  match j with
  | O => point []
  | S j => x <- m; others <- independent j m; point (x :: others)
  end.
(** The first of the candidates that none of the others is better than. *)
Fixpoint best (risk : R -> R) (x : R) (others : list R) : R :=
  match others with [] => x | y :: others => best risk (if Rlt_dec (risk y) (risk x) then y else x) others end.
(** One run and k - 1 more, and the best of them by the empirical risk. *)
Definition boosted (risk : R -> R) (run : law R) (k : nat) : law R :=
  first <- run; others <- independent (k - 1) run; point (best risk first others).
Definition boosted_descent {X} (f g : X -> R -> R) G N eta sigma T k budget x0 (data : list X) : law R :=
  boosted (fun x => mean (fun z => f z x) data)
    (budgeted_descent (fun x => mean (fun z => g z x) data) G N eta sigma T 1 (budget / INR k) x0) k.
Definition section_4_4 : Prop := forall (X : Type) (f g : X -> R -> R) G N eta sigma T k budget x0,
  differentiable f g -> (forall z, convex_on_line (f z)) -> lipschitz f G -> 0 < G -> (1 <= N)%nat -> (1 <= k)%nat ->
  (forall t, 0 < eta t) -> (forall t, 0 < sigma t) -> 0 < budget ->
  concentrated (neighbours_of_size N) (budget / 2) (boosted_descent f g G N eta sigma T k budget x0).

(** ** Two independent runs *)

(** Means are affine: so are those of every program here. *)
Definition affine {A} (m : law A) : Prop := forall f v a b, m f v -> m (fun x => a + b * f x) (a + b * v).
Lemma affine_point {A} (x : A) : affine (point x).
Proof. intros f v a b H. unfold point in *. now rewrite H. Qed.
Lemma affine_bind {A B} (m : law A) (k : A -> law B) : affine m -> (forall x, affine (k x)) -> affine (bind m k).
Proof. intros M K f v a b (g & H & I). exists (fun x => a + b * g x). split. intros x. now apply K. now apply M. Qed.
Lemma affine_gaussian mu s : 0 < s -> affine (gaussian mu s).
Proof.
  intros S f v a b H. unfold gaussian in *.
  apply (integral_ext (fun z => a * normal mu s z + b * (f z * normal mu s z))). intros z. ring.
  replace (a + b * v) with (a * 1 + b * v) by ring. apply integral_plus; apply integral_scal. now apply normal_integral. exact H.
Qed.
Lemma affine_budgeted slope G N eta sigma T t budget x : affine (budgeted_descent slope G N eta sigma T t budget x).
Proof.
  revert t budget x. induction T; intros; simpl. apply affine_point. destruct (Rlt_dec _ _).
  apply affine_bind. apply affine_gaussian. lra. intros z. apply IHT. apply affine_point.
Qed.

Lemma two_runs (m : law R) risk (f : R -> R) v g : (forall x, m (fun y => f (best risk x [y])) (g x)) -> m g v -> boosted risk m 2 f v.
Proof.
  intros H I. exists g. split; auto. intros x. exists (fun l => f (best risk x l)). split. reflexivity.
  exists (fun y => f (best risk x [y])). split; auto. intros y. exists (fun l => f (best risk x (y :: l))).
  split. reflexivity. reflexivity.
Qed.
(** Both lie in the event, or at least one does. *)
Lemma both_lie_in_it (m : law R) risk S p : affine m -> (forall x y, S (best risk x [y]) = andb (S x) (S y)) ->
  probability_is m S p -> probability_is (boosted risk m 2) S (p * p).
Proof.
  intros M B H. apply (two_runs _ _ _ _ (fun x => 0 + p * indicator S x)).
  - intros x. replace (fun y => indicator S (best risk x [y])) with (fun y => 0 + indicator S x * indicator S y).
    replace (0 + p * indicator S x) with (0 + indicator S x * p) by ring. now apply M.
    apply functional_extensionality. intros y. unfold indicator. rewrite B. destruct (S x), (S y); simpl; ring.
  - replace (p * p) with (0 + p * p) by ring. now apply M.
Qed.
Lemma one_lies_in_it (m : law R) risk S p : affine m -> (forall x y, S (best risk x [y]) = orb (S x) (S y)) ->
  probability_is m S p -> probability_is (boosted risk m 2) S (p + (1 - p) * p).
Proof.
  intros M B H. apply (two_runs _ _ _ _ (fun x => p + (1 - p) * indicator S x)).
  - intros x. replace (fun y => indicator S (best risk x [y])) with (fun y => indicator S x + (1 - indicator S x) * indicator S y).
    replace (p + (1 - p) * indicator S x) with (indicator S x + (1 - indicator S x) * p) by ring. now apply M.
    apply functional_extensionality. intros y. unfold indicator. rewrite B. destruct (S x), (S y); simpl; ring.
  - now apply M.
Qed.
Lemma affine_boosted (m : law R) risk k : affine m -> affine (boosted risk m k).
Proof.
  intros M. assert (I : forall j, affine (independent j m)).
  { induction j; simpl. apply affine_point. apply affine_bind; auto. intros x. apply affine_bind; auto. intros l. apply affine_point. }
  apply affine_bind; auto. intros x. apply affine_bind; auto. intros l. apply affine_point.
Qed.
Lemma complement {A} (m : law A) S p : affine m -> probability_is m S p -> probability_is m (fun x => negb (S x)) (1 - p).
Proof.
  intros M H. unfold probability_is in *. replace (indicator (fun x => negb (S x))) with (fun x => 1 + -1 * indicator S x).
  replace (1 - p) with (1 + -1 * p) by ring. now apply M.
  apply functional_extensionality. intros x. unfold indicator. destruct (S x); simpl; ring.
Qed.
Lemma the_larger risk t x y : (forall x y, risk y < risk x <-> x < y) -> beyond t (best risk x [y]) = orb (beyond t x) (beyond t y).
Proof.
  intros R. simpl. unfold beyond. destruct (Rlt_dec (risk y) (risk x)) as [h | h]; rewrite R in h;
    destruct (Rlt_dec t x), (Rlt_dec t y); simpl; auto; lra.
Qed.
Lemma the_smaller risk t x y : (forall x y, risk y < risk x <-> y < x) -> beyond t (best risk x [y]) = andb (beyond t x) (beyond t y).
Proof.
  intros R. simpl. unfold beyond. destruct (Rlt_dec (risk y) (risk x)) as [h | h]; rewrite R in h;
    destruct (Rlt_dec t x), (Rlt_dec t y); simpl; auto; lra.
Qed.

(** ** The refutation *)

Definition null_loss {X} (f : X -> R -> R) (z : option X) (x : R) : R := match z with Some z => f z x | None => 0 end.
(** One record of slope G or - G; all others are null. *)
Definition one_sided (n : nat) (s : bool) : list (option bool) := Some s :: repeat None (n - 1).
Lemma one_sided_neighbours n : (1 <= n)%nat -> neighbours_of_size n (one_sided n false) (one_sided n true).
Proof.
  intros H. split. unfold one_sided. simpl. rewrite repeat_length. lia.
  exists [], (Some false), (Some true), (repeat None (n - 1)). split; reflexivity.
Qed.
Lemma one_sided_risk G n s x : (1 <= n)%nat ->
  mean (fun z => null_loss (linear_loss G) z x) (one_sided n s) = sign s * (G / INR n) * x.
Proof.
  intros H. unfold mean, one_sided. simpl Finite.sum_over. rewrite sum_over_repeat. simpl length. rewrite repeat_length.
  replace (S (n - 1)) with n by lia. unfold null_loss, linear_loss. pose proof (INR_pos n H). field. lra.
Qed.
Lemma one_sided_slope G n s x : (1 <= n)%nat ->
  mean (fun z => null_slope (linear_slope G) z x) (one_sided n s) = sign s * (G / INR n).
Proof.
  intros H. unfold one_sided. rewrite mean_nulls by auto. unfold null_slope, linear_slope. unfold Rdiv. ring.
Qed.
Lemma null_differentiable G : differentiable (null_loss (linear_loss G)) (null_slope (linear_slope G)).
Proof. intros [s | ] x. exact (linear_differentiable G s x). exact (@is_derive_const R_AbsRing R_NormedModule 0 x). Qed.
Lemma null_lipschitz G : 0 <= G -> lipschitz (null_loss (linear_loss G)) G.
Proof.
  intros H [s | ] x y. now apply linear_lipschitz. simpl. rewrite Rminus_eq_0, Rabs_R0. apply Rmult_le_pos; auto. apply Rabs_pos.
Qed.
Lemma null_convex G z : convex_on_line (null_loss (linear_loss G) z).
Proof. destruct z as [s | ]. apply linear_convex. intros x y t H. simpl. lra. Qed.

(** Two runs of one step, which the half budget allows: no rho at all is kept, at any size, step and noise. *)
Theorem exact_choice_fails G N eta sigma budget rho x0 : 0 < G -> (1 <= N)%nat -> 0 < eta 1%nat -> 0 < sigma 1%nat ->
  1 / (sigma 1%nat * sigma 1%nat) < budget / 2 -> 0 <= rho ->
  ~ concentrated (neighbours_of_size N) rho
      (boosted_descent (null_loss (linear_loss G)) (null_slope (linear_slope G)) G N eta sigma 1 2 budget x0).
Proof.
  intros G0 N0 E S B R0. pose proof (INR_pos N N0) as P. set (g := G / INR N).
  assert (g0 : 0 < g) by now apply Rdiv_lt_0_compat.
  set (s := eta 1%nat * (G * sigma 1%nat / INR N)). assert (s0 : 0 < s).
  { unfold s. apply Rmult_lt_0_compat; auto. apply Rdiv_lt_0_compat; auto. now apply Rmult_lt_0_compat. }
  assert (eg : 0 < eta 1%nat * g) by now apply Rmult_lt_0_compat.
  set (run := fun b => budgeted_descent (fun x => mean (fun z => null_slope (linear_slope G) z x) (one_sided N b)) G N eta sigma 1 1 (budget / INR 2) x0).
  assert (T : forall b, normal_tails (run b) (x0 - sign b * (eta 1%nat * g)) s).
  { intros b. apply (normal_tails_ext (run b) _ (x0 - eta 1%nat * mean (fun z => null_slope (linear_slope G) z x0) (one_sided N b)) s); auto.
    - rewrite one_sided_slope by auto. fold g. ring.
    - apply one_step; auto. }
  pose proof (sqrt_sqrt (12 * rho) ltac:(lra)) as U. pose proof (sqrt_pos (12 * rho)) as U0. set (u := sqrt (12 * rho)) in *.
  set (t := x0 + eta 1%nat * g + u * s).
  set (q := normal_cdf (- u)). set (r := normal_cdf ((x0 - sign true * (eta 1%nat * g) - t) / s)).
  pose proof (normal_cdf_bounds (- u)) as q01. fold q in q01.
  pose proof (normal_cdf_bounds ((x0 - sign true * (eta 1%nat * g) - t) / s)) as r01. fold r in r01.
  assert (rq : r <= q).
  { apply normal_cdf_le. unfold t, sign. apply (Rmult_le_reg_r s); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. nra. }
  destruct (T false t) as [F _]. replace ((x0 - sign false * (eta 1%nat * g) - t) / s) with (- u) in F
    by (unfold t, sign; field; lra). destruct (T true t) as [F' _]. fold q in F. fold r in F'.
  assert (A : forall b, affine (run b)) by (intros; apply affine_budgeted).
  assert (C : probability_is (boosted_descent (null_loss (linear_loss G)) (null_slope (linear_slope G)) G N eta sigma 1 2 budget x0
    (one_sided N false)) (beyond t) (q + (1 - q) * q)).
  { apply (one_lies_in_it (run false)); auto. intros x y. apply the_larger. intros x' y'.
    rewrite !one_sided_risk by auto. fold g. unfold sign. split; intros; nra. }
  assert (C' : probability_is (boosted_descent (null_loss (linear_loss G)) (null_slope (linear_slope G)) G N eta sigma 1 2 budget x0
    (one_sided N true)) (beyond t) (r * r)).
  { apply (both_lie_in_it (run true)); auto. intros x y. apply the_smaller. intros x' y'.
    rewrite !one_sided_risk by auto. fold g. unfold sign. split; intros; nra. }
  assert (AB : forall b, affine (boosted_descent (null_loss (linear_loss G)) (null_slope (linear_slope G)) G N eta sigma 1 2 budget x0
    (one_sided N b))) by (intros b; apply (affine_boosted (run b)); auto).
  refine (event_refutes_concentrated _ rho _ _ _ 3 _ _ _ _ _ (one_sided_neighbours N N0) ltac:(lra) C C'
    (complement _ _ _ (AB false) C) (complement _ _ _ (AB true) C') _ _ _ _); try nra.
  assert (L1 : ln q <= ln (q + (1 - q) * q)) by (apply ln_le; nra).
  assert (L2 : ln (r * r) <= 2 * ln q). { replace (2 * ln q) with (ln (q * q)) by (rewrite ln_mult; lra). apply ln_le; nra. }
  assert (L3 : ln q < - (u * u / 2)).
  { pose proof (normal_cdf_upper u U0) as K. fold q in K. pose proof (exp_pos (- (u * u / 2))) as X.
    rewrite <- (ln_exp (- (u * u / 2))). apply ln_increasing; lra. }
  lra.
Qed.
Theorem section_4_4_is_false : ~ section_4_4.
Proof.
  intros H. apply (exact_choice_fails 1 1 (fun _ => 1) (fun _ => 2) 1 (1 / 2) 0); try lra; try lia.
  apply (H (option bool)); try lra; try lia.
  - apply null_differentiable.
  - apply null_convex.
  - apply null_lipschitz. lra.
  - intros. lra.
  - intros. lra.
Qed.
