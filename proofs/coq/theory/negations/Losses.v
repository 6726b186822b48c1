(** * Data, losses and the noisy algorithms that the papers share

    A universe of records is any type; data sets are lists of records, neighbours differ in one record (replace-one:
    [Finite.replace_one]).  The witnesses' records are signs and their loss is linear: a sign s at x loses s G x. *)
From Coq Require Import Reals Lra Lia List Arith.
From Coquelicot Require Import Coquelicot.
From Dpref Require Import Improper Density Erfc Gaussian.
From Dpref Require Finite.
From Dpref.negations Require Import Laws HalfLines Criteria.
Import ListNotations.
Open Scope R_scope.

Definition mean {X} (h : X -> R) (data : list X) : R := Finite.sum_over data h / INR (length data).
(** A loss on the real line with its derivative, by record. *)
Definition differentiable {X} (f g : X -> R -> R) : Prop := forall z x, is_derive (f z) x (g z x).
Definition lipschitz {X} (f : X -> R -> R) (G : R) : Prop := forall z x y, Rabs (f z x - f z y) <= G * Rabs (x - y).
Definition smooth {X} (g : X -> R -> R) (L : R) : Prop := forall z x y, Rabs (g z x - g z y) <= L * Rabs (x - y).
Definition convex_on_line (h : R -> R) : Prop :=
  forall x y t, 0 <= t <= 1 -> h (t * x + (1 - t) * y) <= t * h x + (1 - t) * h y.
Definition strongly_convex (h : R -> R) (mu : R) : Prop := convex_on_line (fun x => h x - mu / 2 * (x * x)).

(** ** The linear loss of a sign *)

Definition sign (s : bool) : R := if s then 1 else -1.
Definition linear_loss (G : R) (s : bool) (x : R) : R := sign s * G * x.
Definition linear_slope (G : R) (s : bool) (x : R) : R := sign s * G.
Lemma linear_differentiable G : differentiable (linear_loss G) (linear_slope G).
Proof. intros s x. unfold linear_loss, linear_slope. auto_derive. auto. ring. Qed.
Lemma linear_lipschitz G : 0 <= G -> lipschitz (linear_loss G) G.
Proof.
  intros H s x y. unfold linear_loss. rewrite <- Rmult_minus_distr_l, !Rabs_mult, (Rabs_pos_eq G) by auto.
  replace (Rabs (sign s)) with 1. lra. destruct s; unfold sign. now rewrite Rabs_R1. rewrite Rabs_left; lra.
Qed.
Lemma linear_smooth G L : 0 <= L -> smooth (linear_slope G) L.
Proof.
  intros H s x y. unfold linear_slope. rewrite Rminus_eq_0, Rabs_R0. apply Rmult_le_pos; auto. apply Rabs_pos.
Qed.
Lemma linear_convex G s : convex_on_line (linear_loss G s).
Proof. intros x y t T. unfold linear_loss. right. ring. Qed.

(** Two data sets of n signs that differ in the first: all plus, and one minus. *)
Definition all_plus (n : nat) : list bool := repeat true n.
Definition one_minus (n : nat) : list bool := false :: repeat true (n - 1).
Lemma witnesses_are_neighbours n : (1 <= n)%nat -> Finite.replace_one (all_plus n) (one_minus n).
Proof.
  intros H. exists [], true, false, (repeat true (n - 1)). unfold all_plus, one_minus. split; auto.
  destruct n. lia. simpl. now rewrite Nat.sub_0_r.
Qed.
Lemma length_all_plus n : length (all_plus n) = n. Proof. apply repeat_length. Qed.
Lemma length_one_minus n : (1 <= n)%nat -> length (one_minus n) = n.
Proof. intros H. unfold one_minus. simpl. rewrite repeat_length. lia. Qed.
Lemma sum_over_repeat {X} (h : X -> R) z n : Finite.sum_over (repeat z n) h = INR n * h z.
Proof. induction n. simpl. ring. rewrite S_INR. simpl. rewrite IHn. ring. Qed.
Lemma mean_all_plus G x n : (1 <= n)%nat -> mean (fun s => linear_slope G s x) (all_plus n) = G.
Proof.
  intros H. unfold mean. rewrite length_all_plus. unfold all_plus. rewrite sum_over_repeat. unfold linear_slope, sign.
  field. apply not_0_INR. lia.
Qed.
Lemma mean_one_minus G x n : (1 <= n)%nat -> mean (fun s => linear_slope G s x) (one_minus n) = G - 2 * G / INR n.
Proof.
  intros H. unfold mean. rewrite length_one_minus by auto. unfold one_minus.
  change (Finite.sum_over (false :: repeat true (n - 1)) (fun s => linear_slope G s x))
    with (linear_slope G false x + Finite.sum_over (repeat true (n - 1)) (fun s => linear_slope G s x)).
  rewrite sum_over_repeat, minus_INR by auto. unfold linear_slope, sign. simpl (INR 1). field. apply not_0_INR. lia.
Qed.
(** Data sets of n records that differ in one. *)
Definition neighbours_of_size {X} (n : nat) (d d' : list X) : Prop := length d = n /\ Finite.replace_one d d'.
Lemma witnesses n : (1 <= n)%nat -> neighbours_of_size n (all_plus n) (one_minus n).
Proof. intros H. split. apply length_all_plus. now apply witnesses_are_neighbours. Qed.
Lemma witnesses_reversed n : (1 <= n)%nat -> neighbours_of_size n (one_minus n) (all_plus n).
Proof.
  intros H. split. now apply length_one_minus. destruct (witnesses_are_neighbours n H) as (a & x & y & b & -> & ->).
  now exists a, y, x, b.
Qed.
Lemma INR_pos n : (1 <= n)%nat -> 0 < INR n. Proof. intros. apply lt_0_INR. lia. Qed.

(** A query of sensitivity 1: a bit. *)
Definition bit_query (b : bool) : R := if b then 1 else 0.
Definition other_bit (b b' : bool) : Prop := b <> b'.
Lemma bit_sensitivity : sensitivity other_bit bit_query 1.
Proof. intros [] [] H; unfold bit_query; try (rewrite Rabs_pos_eq; lra); rewrite Rabs_left; lra. Qed.

(** ** Noisy gradient descent *)

(** T steps from x: x <- x - eta (F'(x) + z), with fresh normal noise z of standard deviation sigma. *)
Fixpoint descent (slope : R -> R) (eta sigma : R) (T : nat) (x : R) : law R :=
  match T with
  | O => point x
  | S T => z <- gaussian 0 sigma; descent slope eta sigma T (x - eta * (slope x + z))
  end.
Lemma normal_tails_ext (m m' : law R) c s c' s' : (forall f v, m f v -> m' f v) -> c = c' -> s = s' -> normal_tails m c s ->
  normal_tails m' c' s'.
Proof. intros E <- <- H t. destruct (H t). split; apply E; auto. Qed.
(** On a loss with constant slope g the output is normal on half lines. *)
Lemma descent_normal_tails slope g eta sigma T x : 0 < eta -> 0 < sigma -> (forall y, slope y = g) ->
  normal_tails (descent slope eta sigma (S T) x) (x - INR (S T) * (eta * g)) (eta * sigma * sqrt (INR (S T))).
Proof.
  intros E0 S0 C. revert x. induction T; intros x.
  - apply (normal_tails_ext (z <- gaussian 0 sigma; point (x - eta * g + (- eta) * z)) _
      (x - eta * g) (Rabs (- eta) * sigma)).
    + intros f v (h & H & I). exists h. split; auto. intros z. unfold descent, point in *. rewrite <- (H z), C.
      f_equal. ring.
    + simpl. ring.
    + rewrite Rabs_Ropp, Rabs_pos_eq by lra. simpl. rewrite sqrt_1. ring.
    + apply affine_normal_tails; lra.
  - pose proof (lt_0_INR (S T) ltac:(lia)) as P. pose proof (sqrt_lt_R0 _ P) as Q.
    apply (normal_tails_ext (z <- gaussian 0 sigma; descent slope eta sigma (S T) (x - eta * (slope x + z))) _
      (x - INR (S (S T)) * (eta * g)) (sqrt (eta * sigma * sqrt (INR (S T)) * (eta * sigma * sqrt (INR (S T)))
        + - eta * - eta * (sigma * sigma)))); auto.
    + rewrite (S_INR (S T)).
      replace (eta * sigma * sqrt (INR (S T)) * (eta * sigma * sqrt (INR (S T))) + - eta * - eta * (sigma * sigma))
        with (eta * sigma * (eta * sigma) * (sqrt (INR (S T)) * sqrt (INR (S T)) + 1)) by ring.
      rewrite sqrt_sqrt by lra. rewrite sqrt_mult, sqrt_square by nra. reflexivity.
    + apply bind_normal_tails; auto. apply Rmult_lt_0_compat; auto. nra. intros z.
      apply (normal_tails_ext (descent slope eta sigma (S T) (x - eta * (slope x + z))) _
        (x - eta * (slope x + z) - INR (S T) * (eta * g)) (eta * sigma * sqrt (INR (S T)))); auto.
      rewrite C, (S_INR (S T)). ring.
Qed.
