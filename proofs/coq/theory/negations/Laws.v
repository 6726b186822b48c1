(** * Randomised algorithms as programs, and what it takes to refute their privacy

    A law on a type says which functions have which mean under it.  A program draws (from a normal density, uniformly
    from a list, a biased coin), goes on with what it drew, and returns a value; an
    algorithm is a program that depends on the data, written as the paper's own recursion.  A deterministic release
    is the law of a point.

    (epsilon, delta)-differential privacy is stated over all events that have a probability under both laws.  zCDP is
    stated over all finite partitions of the outputs: the Renyi divergence is the supremum of the divergences of what
    a partition tells (van Erven and Harremoes, "Renyi divergence and Kullback-Leibler divergence", Theorem 2), for
    each of which Finite.v has the definition. *)
From Coq Require Import Reals Lra Lia List Arith.
From Coquelicot Require Import Coquelicot.
From Dpref Require Import Improper Density Gaussian.
From Dpref Require Finite.
Import ListNotations.
Open Scope R_scope.

(** ** Programs *)

(** [m f v]: under the law m the function f has the mean v. *)
Definition law (A : Type) : Type := (A -> R) -> R -> Prop.
Definition point {A} (a : A) : law A := fun f v => f a = v.
Definition bind {A B} (m : law A) (k : A -> law B) : law B :=
  fun f v => exists g : A -> R, (forall a, k a f (g a)) /\ m g v.
(** Normal noise of mean mu and standard deviation s. *)
Definition gaussian (mu s : R) : law R := fun f v => integral (fun z => f z * normal mu s z) v.
(** One of the values of a list, each equally likely. *)
Definition uniform {A} (l : list A) : law A := fun f v => Finite.sum_over l f / INR (length l) = v.
(** With probability q the one program, otherwise the other. *)
Definition coin {A} (q : R) (m m' : law A) : law A :=
  fun f v => exists u w, m f u /\ m' f w /\ v = q * u + (1 - q) * w.
Notation "x <- m ; k" := (bind m (fun x => k)) (at level 60, m at level 59, right associativity).

(** ** Differential privacy of programs *)

Definition indicator {A} (S : A -> bool) (a : A) : R := if S a then 1 else 0.
(** The event S has probability P. *)
Definition probability_is {A} (m : law A) (S : A -> bool) (P : R) : Prop := m (indicator S) P.
Definition law_close {A} (eps del : R) (m m' : law A) : Prop :=
  forall S P Q, probability_is m S P -> probability_is m' S Q -> P <= exp eps * Q + del.
Definition private {D A} (neighbours : D -> D -> Prop) (eps del : R) (M : D -> law A) : Prop :=
  forall d d', neighbours d d' -> law_close eps del (M d) (M d').

(** ** zCDP of programs *)

Definition cell_masses {A} (m : law A) (cell : A -> nat) (k : nat) (p : nat -> R) : Prop :=
  forall i, (i < k)%nat -> probability_is m (fun a => Nat.eqb (cell a) i) (p i).
(** The Renyi divergence of order a is at most r, whatever a finite partition of the outputs tells. *)
Definition law_renyi {A} (a r : R) (m m' : law A) : Prop :=
  forall k cell p q, (forall o, (cell o < k)%nat) -> cell_masses m cell k p -> cell_masses m' cell k q ->
    Finite.renyi (seq 0 k) a r p q.
Definition concentrated {D A} (neighbours : D -> D -> Prop) (rho : R) (M : D -> law A) : Prop :=
  forall d d' a, neighbours d d' -> 1 < a -> law_renyi a (rho * a) (M d) (M d').

(** ** Refutations: one event is enough *)

Theorem event_refutes {D A} (neighbours : D -> D -> Prop) eps del (M : D -> law A) d d' S P Q : neighbours d d' ->
  probability_is (M d) S P -> probability_is (M d') S Q -> exp eps * Q + del < P -> ~ private neighbours eps del M.
Proof. intros N HP HQ L H. specialize (H d d' N S P Q HP HQ). lra. Qed.

(** Two different outputs of a deterministic release. *)
Theorem different_points_refute {D A} (neighbours : D -> D -> Prop) (eq_dec : forall a b : A, {a = b} + {a <> b})
    eps del (f : D -> A) (M : D -> law A) d d' :
  neighbours d d' -> (forall e, e = d \/ e = d' -> M e = point (f e)) -> f d <> f d' -> del < 1 ->
  ~ private neighbours eps del M.
Proof.
  intros N E F L. pose (S := fun a => if eq_dec a (f d) then true else false).
  apply (event_refutes neighbours eps del M d d' S 1 0); auto.
  - rewrite E by auto. unfold probability_is, point, indicator, S. now destruct (eq_dec (f d) (f d)).
  - rewrite E by auto. unfold probability_is, point, indicator, S. destruct (eq_dec (f d') (f d)); congruence.
  - lra.
Qed.

Definition two_cells {A} (S : A -> bool) (a : A) : nat := if S a then 0%nat else 1%nat.
(** One event refutes zCDP where its probabilities P and Q have P^a Q^(1 - a) > exp (a (a - 1) rho). *)
Theorem event_refutes_concentrated {D A} (neighbours : D -> D -> Prop) rho (M : D -> law A) d d' a S P Q P' Q' :
  neighbours d d' -> 1 < a -> probability_is (M d) S P -> probability_is (M d') S Q ->
  probability_is (M d) (fun o => negb (S o)) P' -> probability_is (M d') (fun o => negb (S o)) Q' ->
  0 < P -> 0 < Q -> 0 <= P' -> (a - 1) * (rho * a) < a * ln P + (1 - a) * ln Q -> ~ concentrated neighbours rho M.
Proof.
  intros N A1 HP HQ HP' HQ' P0 Q0 P1 L Z.
  assert (C : forall m X X', probability_is m S X -> probability_is m (fun o => negb (S o)) X' ->
    cell_masses m (two_cells S) 2 (fun i => match i with 0%nat => X | _ => X' end)).
  { intros m X X' H H' i I. unfold probability_is, cell_masses in *.
    assert (E : forall T : A -> bool, (forall o, Nat.eqb (two_cells S o) i = T o) ->
      (fun o => Nat.eqb (two_cells S o) i) = T) by (intros T e; apply FunctionalExtensionality.functional_extensionality; auto).
    destruct i as [ | [ | i]]; [rewrite (E S) | rewrite (E (fun o => negb (S o))) | lia]; auto;
      intros o; unfold two_cells; now destruct (S o). }
  destruct (Z d d' a N A1 2%nat (two_cells S) _ _ ltac:(intros o; unfold two_cells; destruct (S o); lia)
    (C _ _ _ HP HP') (C _ _ _ HQ HQ')) as [_ B].
  unfold Finite.moment in B. simpl in B. rewrite Rplus_0_r in B.
  assert (K : 0 <= P' * Rpower (P' / Q') (a - 1)).
  { apply Rmult_le_pos; auto. left. apply exp_pos. }
  assert (E : P * Rpower (P / Q) (a - 1) = exp (a * ln P + (1 - a) * ln Q)).
  { unfold Rpower. rewrite ln_div by auto. rewrite <- (exp_ln P) at 1 by auto. rewrite <- exp_plus. f_equal. ring. }
  rewrite E in B. pose proof (exp_increasing _ _ L). lra.
Qed.
