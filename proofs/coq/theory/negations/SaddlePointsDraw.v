(** * Private saddle points: a vertex that Algorithm 3 draws (Proof 3.18)

    Neighbours differ in one record (replace-one).  Proof 3.18 says of Algorithm 3 that every vertex that is drawn is
    9 tau alpha L0-DP, L0 being the Lipschitz constant in the 1-norm; Proposition 3.17, which the proof is for, holds.
    Here [proof_3_18_draw] the second player has a single vertex, and the draw follows the first iteration, of level N on
    a batch of 2^N / alpha records, given the vertices that it drew before.  Refuted at every M by d = 4, N = 1,
    alpha = 1/100 and tau alpha L0 = 1/4: a record's gradient turns round between the two averages, so that two scores
    move by (4 C_M + 1) tau alpha L0 in opposite directions.  The event: the last vertex is drawn. *)
From Coq Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
From Dpref Require Finite.
From Dpref.negations Require Import Laws Losses ErmSampledIndex.
Import ListNotations.
Open Scope R_scope.

(** ** Algorithms 2 and 3 *)

(** One of the vertices 0, ..., d - 1 with chances proportional to weights. *)
Definition drawn_by (d : nat) (w : nat -> R) : law nat :=
  fun f v => Finite.sum_over (seq 0 d) (fun j => w j * f j) / Finite.sum_over (seq 0 d) w = v.
Definition average (drawn : list nat) (j : nat) : R := mean (fun i => if Nat.eqb i j then 1 else 0) drawn.
(** The normaliser of the truncated geometric law with p = 1/2 on 0, ..., M. *)
Definition normaliser (M : nat) : R := 2 - (1 / 2) ^ M.
Section Algorithm.
  Context {X : Type}.
  Variables (g : X -> (nat -> R) -> nat -> R) (M N : nat) (drawn : list nat) (data : list X).
  Let at_point (x : nat -> R) (j : nat) : R := mean (fun z => g z x j) data.
  (** Algorithm 2 at the level N: the average of all drawn vertices, of the first half, and the first. *)
  Definition estimate (j : nat) : R :=
    normaliser M * 2 ^ N * (at_point (average drawn) j - at_point (average (firstn (2 ^ N) drawn)) j)
      + at_point (average (firstn 1 drawn)) j.
  (** A vertex of the next iterate, which is proportional to exp (- tau g) from the uniform one. *)
  Definition next_vertex (d : nat) (tau : R) : law nat := drawn_by d (fun j => exp (- tau * estimate j)).
End Algorithm.
Definition moved (x : nat -> R) (j : nat) (s : R) : nat -> R := fun i => if Nat.eqb i j then x i + s else x i.
(** The j-th partial derivative of each record's loss, which is at most L0 (Lipschitz in the 1-norm). *)
Definition partials {X} (d : nat) (f : X -> (nat -> R) -> R) (g : X -> (nat -> R) -> nat -> R) (L0 : R) : Prop :=
  forall z x j, (j < d)%nat -> is_derive (fun s => f z (moved x j s)) 0 (g z x j) /\ Rabs (g z x j) <= L0.
Definition proof_3_18_draw (M : nat) : Prop :=
  forall (X : Type) (f : X -> (nat -> R) -> R) (g : X -> (nat -> R) -> nat -> R) d L0 N n drawn alpha tau,
  partials d f g L0 -> 0 < L0 -> 0 < alpha <= 1 -> 0 < tau -> (N <= M)%nat -> INR n * alpha = 2 ^ N ->
  length drawn = (2 * 2 ^ N)%nat -> (forall j, In j drawn -> (j < d)%nat) ->
  private (neighbours_of_size n) (9 * tau * alpha * L0) 0 (fun data => next_vertex g M N drawn data d tau).
(** The same of the scores, whose sensitivity Proof 3.18 gives as half of that. *)
Definition proof_3_18_sensitivity (M : nat) : Prop :=
  forall (X : Type) (f : X -> (nat -> R) -> R) (g : X -> (nat -> R) -> nat -> R) d L0 N n drawn alpha tau data data' j,
  partials d f g L0 -> 0 < L0 -> 0 < alpha <= 1 -> 0 < tau -> (N <= M)%nat -> INR n * alpha = 2 ^ N ->
  length drawn = (2 * 2 ^ N)%nat -> (forall j, In j drawn -> (j < d)%nat) -> neighbours_of_size n data data' -> (j < d)%nat ->
  Rabs (tau * estimate g M N drawn data j - tau * estimate g M N drawn data' j) <= 9 / 2 * tau * alpha * L0.

(** ** The witness *)

(** Two records whose gradients turn round, and one with a constant gradient. *)
Inductive record := Rising | Falling | Steady.
Definition direction (z : record) (j : nat) : R :=
  match z, j with
  | Rising, (0 | 1)%nat => 1 | Rising, _ => -1
  | Falling, (0 | 2)%nat => 1 | Falling, _ => -1
  | Steady, 0%nat => -1 | Steady, (1 | 2)%nat => 1 | Steady, _ => - 92 / 100
  end.
Definition along (z : record) (x : nat -> R) : R :=
  direction z 0 * x 0%nat + direction z 1 * x 1%nat + direction z 2 * x 2%nat + direction z 3 * x 3%nat.
(** From -1 to 1 between 1/5 and 3/10. *)
Definition turn (x : R) : R := kink 1 20 (x - 1 / 5).
Definition loss (z : record) (x : nat -> R) : R :=
  match z with
  | Rising => RInt turn 0 (along z x)
  | Falling => RInt turn 0 (along z x + 1 / 2)
  | Steady => along z x
  end.
Definition gradient (z : record) (x : nat -> R) (j : nat) : R :=
  match z with
  | Rising => turn (along z x) * direction z j
  | Falling => turn (along z x + 1 / 2) * direction z j
  | Steady => direction z j
  end.
Lemma turn_bounds x : -1 <= turn x <= 1.
Proof. unfold turn. pose proof (kink_bounds 1 20 (x - 1 / 5)). lra. Qed.
Lemma turn_before x : x <= 1 / 5 -> turn x = -1.
Proof. intros H. unfold turn, kink. rewrite !Rabs_left1 by lra. lra. Qed.
Lemma turn_after x : 3 / 10 <= x -> turn x = 1.
Proof. intros H. unfold turn. rewrite kink_far; lra. Qed.
Lemma turn_integral x : is_derive (fun y => RInt turn 0 y) x (turn x).
Proof.
  assert (C : forall y, continuous turn y).
  { intros y. unfold turn. apply (continuous_comp (fun y => y - 1 / 5) (kink 1 20)). 2: apply continuous_kink.
    apply (ex_derive_continuous (fun y => y - 1 / 5)). auto_derive. auto. }
  apply (is_derive_RInt turn (fun y => RInt turn 0 y) 0 x). 2: apply C. apply filter_forall. intros y.
  apply (RInt_correct turn). apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros; apply C.
Qed.
Lemma along_moved z x j s : (j < 4)%nat -> along z (moved x j s) = along z x + direction z j * s.
Proof. intros H. unfold along, moved. destruct j as [ | [ | [ | [ | j]]]]; try lia; simpl; ring. Qed.
Lemma gradient_is : partials 4 loss gradient 1.
Proof.
  intros z x j H. split.
  - assert (A : forall c, is_derive (fun s => along z (moved x j s) + c) 0 (direction z j)).
    { intros c. apply (is_derive_ext (fun s => along z x + direction z j * s + c)). intros s. now rewrite along_moved.
      auto_derive. auto. ring. }
    assert (B : forall c, is_derive (fun s => RInt turn 0 (along z (moved x j s) + c)) 0 (turn (along z x + c) * direction z j)).
    { intros c. replace (along z x + c) with (along z (moved x j 0) + c) by (rewrite along_moved by auto; ring).
      rewrite Rmult_comm. apply (is_derive_comp (fun y => RInt turn 0 y) (fun s => along z (moved x j s) + c)). apply turn_integral. apply A. }
    destruct z.
    + apply (is_derive_ext (fun s => RInt turn 0 (along Rising (moved x j s) + 0))). intros s. now rewrite Rplus_0_r.
      unfold gradient. rewrite <- (Rplus_0_r (along Rising x)). apply B.
    + apply B.
    + apply (is_derive_ext (fun s => along Steady (moved x j s) + 0)). intros s. now rewrite Rplus_0_r. apply A.
  - assert (D : Rabs (direction z j) <= 1).
    { destruct z, j as [ | [ | [ | [ | j]]]]; unfold direction, Rabs; destruct (Rcase_abs _); lra. }
    assert (T : forall y, Rabs (turn y * direction z j) <= 1).
    { intros y. rewrite Rabs_mult. pose proof (turn_bounds y) as T. apply Rabs_le in T. pose proof (Rabs_pos (turn y)).
      pose proof (Rabs_pos (direction z j)). nra. }
    destruct z; simpl; auto.
Qed.

(** ** The draw *)

(** Vertices 1, 2, 1, 1. *)
Definition earlier : list nat := [1; 2; 1; 1]%nat.
Definition batch (z : record) : list record := z :: repeat Steady 199.
Lemma batches_are_neighbours : neighbours_of_size 200 (batch Rising) (batch Falling).
Proof. split. reflexivity. exists [], Rising, Falling, (repeat Steady 199). split; reflexivity. Qed.
Lemma mean_of_batch z h : mean h (batch z) = (h z + 199 * h Steady) / 200.
Proof.
  unfold mean, batch. change (length (z :: repeat Steady 199)) with 200%nat.
  change (Finite.sum_over (z :: repeat Steady 199) h) with (h z + Finite.sum_over (repeat Steady 199) h).
  rewrite sum_over_repeat. rewrite !INR_IZR_INZ. reflexivity.
Qed.
Lemma averages z : along z (average earlier) = 3 / 4 * direction z 1 + 1 / 4 * direction z 2 /\
  along z (average (firstn (2 ^ 1) earlier)) = 1 / 2 * direction z 1 + 1 / 2 * direction z 2 /\
  along z (average (firstn 1 earlier)) = direction z 1.
Proof. unfold along, average, mean, earlier. simpl. repeat split; field. Qed.
Lemma estimate_of_batch z M j : (z = Rising \/ z = Falling) ->
  estimate gradient M 1 earlier (batch z) j
    = ((4 * normaliser M + 1) * match z with Rising => direction Rising j | _ => - direction Falling j end + 199 * direction Steady j) / 200.
Proof.
  intros H. unfold estimate. rewrite !mean_of_batch. unfold gradient.
  destruct (averages z) as (-> & -> & ->). destruct H as [-> | ->].
  - simpl (direction Rising 1). simpl (direction Rising 2). rewrite (turn_after (3 / 4 * 1 + 1 / 4 * -1)), (turn_before (1 / 2 * 1 + 1 / 2 * -1)), (turn_after 1) by lra.
    simpl. field.
  - simpl (direction Falling 1). simpl (direction Falling 2).
    rewrite (turn_before (3 / 4 * -1 + 1 / 4 * 1 + 1 / 2)), (turn_after (1 / 2 * -1 + 1 / 2 * 1 + 1 / 2)), (turn_before (-1 + 1 / 2)) by lra.
    simpl. field.
Qed.
Definition last (j : nat) : bool := Nat.eqb j 3.
Lemma chance w : probability_is (drawn_by 4 w) last (w 3%nat / (w 0%nat + w 1%nat + w 2%nat + w 3%nat)).
Proof. unfold probability_is, drawn_by, indicator, last, Rdiv. simpl. f_equal. ring. f_equal. ring. Qed.
Lemma normaliser_range M : (1 <= M)%nat -> 3 / 2 <= normaliser M <= 2.
Proof.
  intros H. unfold normaliser. destruct M as [ | M]. lia. simpl. assert (0 <= (1 / 2) ^ M <= 1). 2: lra.
  split. apply pow_le. lra. apply Rle_trans with (1 ^ M). apply pow_incr. lra. rewrite pow1. lra.
Qed.
Theorem a_drawn_vertex_is_not_private M : (1 <= M)%nat ->
  ~ private (neighbours_of_size 200) (9 * 25 * (1 / 100) * 1) 0 (fun data => next_vertex gradient M 1 earlier data 4 25).
Proof.
  intros H. refine (event_refutes _ _ _ _ _ _ last _ _ batches_are_neighbours (chance _) (chance _) _).
  rewrite !estimate_of_batch by tauto. simpl direction.
  pose proof (normaliser_range M H) as C.
  set (c := normaliser M) in *. clearbody c.
  apply Rminus_gt_0_lt. interval with (i_bisect c, i_prec 60, i_depth 12).
Qed.
Theorem proof_3_18_draw_is_false : forall M, (1 <= M)%nat -> ~ proof_3_18_draw M.
Proof.
  intros M H P. apply (a_drawn_vertex_is_not_private M H).
  apply (P record loss gradient 4%nat 1 1%nat 200%nat earlier (1 / 100) 25); try lra; auto.
  - apply gradient_is.
  - rewrite INR_IZR_INZ. simpl. lra.
  - intros j J. simpl in J. lia.
Qed.
(** The first score moves by (4 C_M + 1) tau alpha L0. *)
Theorem proof_3_18_sensitivity_is_false : forall M, (1 <= M)%nat -> ~ proof_3_18_sensitivity M.
Proof.
  intros M H P. pose proof (normaliser_range M H) as C.
  enough (B : Rabs (1 * estimate gradient M 1 earlier (batch Rising) 0 - 1 * estimate gradient M 1 earlier (batch Falling) 0)
    <= 9 / 2 * 1 * (1 / 100) * 1).
  { rewrite !estimate_of_batch in B by tauto. simpl in B. rewrite Rabs_pos_eq in B; lra. }
  apply (P record loss gradient 4%nat 1 1%nat 200%nat earlier (1 / 100) 1); try lra; try lia; auto.
  - apply gradient_is.
  - rewrite INR_IZR_INZ. simpl. lra.
  - intros j J. simpl in J. lia.
  - apply batches_are_neighbours.
Qed.
