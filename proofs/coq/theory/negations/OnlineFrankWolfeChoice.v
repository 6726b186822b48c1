(** * Private online Frank-Wolfe: Theorem 3.4 (DP-POFW) for every n

    Neighbours differ in one record (replace-one); dimension one, the polytope is the segment [-R, R] with two vertices.
    Theorem 3.4 [theorem_3_4]: for every length n of the stream, Algorithm 2 with Laplace noise of the scale of line 8,
    4 D (beta D + L) sqrt (ln n ln (1 / delta)) / (epsilon sqrt t), is (epsilon, delta)-private.
    Refuted at n = 1, where ln n = 0 and the printed scale is zero: the first vertex is the best one, exactly, at every
    epsilon and delta < 1.  The event: the first published iterate is negative. *)
From Coq Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From Dpref Require Import Improper Density Erfc Gaussian Laplace.
From Dpref.negations Require Import Laws HalfLines Criteria Losses OnlineFrankWolfe.
Import ListNotations.
Open Scope R_scope.

(** ** The first round of Algorithm 2 *)

(** Laplace noise; of scale zero it is no noise. *)
Definition laplace_noise (b : R) : law R :=
  if Req_EM_T b 0 then point 0 else fun f v => integral (fun z => f z * laplace 0 b z) v.
(** Line 8. *)
Definition line_8 (beta D L : R) (n : nat) (eps del : R) (t : nat) : R :=
  4 * D * (beta * D + L) * sqrt (ln (INR n) * ln (1 / del)) / (eps * sqrt (INR t)).
(** From theta_1 = 0: d_1 = f'(0; x_1), a noisy score for each vertex, v_1 the vertex with the least, and
    theta_2 = theta_1 + (v_1 - theta_1) / 2. *)
Definition first_choice {X} (slope : X -> R -> R) (radius scale : R) (stream : list X) : law R :=
  low <- laplace_noise scale;
  high <- laplace_noise scale;
  let d1 := match stream with [] => 0 | z :: _ => slope z 0 end in
  let v1 := if Rle_dec (d1 * - radius + low) (d1 * radius + high) then - radius else radius in
  point (0 + 1 / 2 * (v1 - 0)).
(** What Theorem 3.4 says of the first published iterate, a part of the output. *)
Definition theorem_3_4 : Prop := forall (X : Type) (f g : X -> R -> R) beta L radius n eps del,
  differentiable f g -> (forall z, convex_on_line (f z)) -> lipschitz f L -> smooth g beta ->
  0 < beta -> 0 < L -> 0 < radius -> (1 <= n)%nat -> 0 < eps -> 0 < del < 1 ->
  private (neighbours_of_size n) eps del (first_choice g radius (line_8 beta (2 * radius) L n eps del 1)).

(** ** Its refutation *)

Lemma no_noise_for_one_record beta D L eps del t : line_8 beta D L 1 eps del t = 0.
Proof. unfold line_8. simpl (INR 1). rewrite ln_1, Rmult_0_l, sqrt_0. unfold Rdiv. ring. Qed.
Theorem one_record_is_shown G radius eps del : 0 < G -> 0 < radius -> del < 1 ->
  ~ private (neighbours_of_size 1) eps del (first_choice (linear_slope G) radius 0).
Proof.
  intros G0 R0 D. assert (P : forall s, probability_is (first_choice (linear_slope G) radius 0 [s]) negative (if s : bool then 1 else 0)).
  { intros s. unfold first_choice, laplace_noise. destruct (Req_EM_T 0 0) as [_ | n]; [ | now elim n].
    eexists. split. intros low. eexists. split. intros high. reflexivity. reflexivity.
    unfold point, indicator, negative, linear_slope, sign. assert (0 < G * radius) by now apply Rmult_lt_0_compat.
    destruct s.
    - destruct (Rle_dec _ _) as [_ | n]. 2: elim n; nra. destruct (Rlt_dec _ 0) as [_ | n]; auto. elim n; lra.
    - destruct (Rle_dec _ _) as [n | _]. nra. destruct (Rlt_dec _ 0) as [n | _]; auto. lra. }
  apply (event_refutes _ eps del _ (all_plus 1) (one_minus 1) negative 1 0).
  - now apply witnesses.
  - exact (P true).
  - exact (P false).
  - lra.
Qed.
Theorem theorem_3_4_is_false : ~ theorem_3_4.
Proof.
  intros H. apply (one_record_is_shown 1 1 1 (1 / 2)); try lra. rewrite <- (no_noise_for_one_record 1 (2 * 1) 1 1 (1 / 2) 1).
  apply (H bool (linear_loss 1) (linear_slope 1)); try lra; try lia.
  - apply linear_differentiable.
  - apply linear_convex.
  - apply linear_lipschitz. lra.
  - apply linear_smooth. lra.
Qed.
