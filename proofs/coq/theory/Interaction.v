(** * Interactions: what is asked next may depend on all answers so far

    An interaction either stops, or asks a mechanism and goes on according to its answer; its transcript is the list of
    the answers.  Every statement about k-fold adaptive composition, and about filters, is about transcripts.  The outputs
    of two mechanisms, the second chosen by the first one's answer, are the case of two questions, also proved for pairs.

    Proved here: a transcript's masses are a distribution, and how sums over transcripts fall apart. *)
From Dpref Require Import Finite.

(** ** Two answers, of which the first chooses what the second is asked *)

(** All ways to join an answer a of [l1] with an answer of [l2 a]. *)
Definition joined {A B C} (c : A -> B -> C) (l1 : list A) (l2 : A -> list B) : list C :=
  flat_map (fun a => map (c a) (l2 a)) l1.
Lemma sum_joined {A B C} (c : A -> B -> C) l1 l2 f :
  sum_over (joined c l1 l2) f = sum_over l1 (fun a => sum_over (l2 a) (fun b => f (c a b))).
Proof. unfold joined. induction l1; simpl; auto. now rewrite sum_app, sum_map, IHl1. Qed.
Lemma in_joined {A B C} (c : A -> B -> C) l1 l2 o :
  In o (joined c l1 l2) <-> exists a b, In a l1 /\ In b (l2 a) /\ o = c a b.
Proof.
  unfold joined. rewrite in_flat_map. split.
  intros (a & I & J). apply in_map_iff in J. destruct J as (b & <- & J). eauto.
  intros (a & b & I & J & ->). exists a. split; auto. now apply in_map.
Qed.
(** A mass function on the joined answers that is the product of the two masses. *)
Definition product {A B C} (c : A -> B -> C) (p1 : A -> R) (p2 : A -> B -> R) (p : C -> R) :=
  forall a b, p (c a b) = p1 a * p2 a b.
Definition adaptive {D O1 O2} (M1 : D -> O1 -> R) (M2 : D -> O1 -> O2 -> R) d (o : O1 * O2) :=
  M1 d (fst o) * M2 d (fst o) (snd o).
Lemma adaptive_product {D O1 O2} (M1 : D -> O1 -> R) (M2 : D -> O1 -> O2 -> R) d :
  product pair (M1 d) (M2 d) (adaptive M1 M2 d).
Proof. intros a b. reflexivity. Qed.
Lemma list_prod_joined {A B} (l1 : list A) (l2 : list B) : list_prod l1 l2 = joined pair l1 (fun _ => l2).
Proof. unfold joined. induction l1; simpl; auto. now rewrite IHl1. Qed.

(** ** Interactions *)

Inductive interaction (D O : Type) : Type :=
  | stop : interaction D O
  | ask : (D -> O -> R) -> (O -> interaction D O) -> interaction D O.
Arguments stop {D O}.
Arguments ask {D O} _ _.

Section Transcripts.
  Context {D O : Type} (l : list O).
  (** All transcripts, and the mass of one. *)
  Fixpoint transcripts (it : interaction D O) : list (list O) :=
    match it with stop => [[]] | ask M next => joined cons l (fun o => transcripts (next o)) end.
  Fixpoint mass (it : interaction D O) (d : D) (t : list O) : R :=
    match it, t with
    | stop, [] => 1
    | ask M next, o :: t => M d o * mass (next o) d t
    | _, _ => 0
    end.
  (** Every question is asked of a mechanism. *)
  Fixpoint asks_mechanisms (it : interaction D O) : Prop :=
    match it with stop => True | ask M next => mechanism l M /\ forall o, asks_mechanisms (next o) end.
  (** At most k questions. *)
  Fixpoint at_most (k : nat) (it : interaction D O) : Prop :=
    match it, k with stop, _ => True | ask _ _, 0%nat => False | ask _ next, S k => forall o, at_most k (next o) end.
  (** Every question has a property. *)
  Fixpoint every (Q : (D -> O -> R) -> Prop) (it : interaction D O) : Prop :=
    match it with stop => True | ask M next => Q M /\ forall o, every Q (next o) end.

  Lemma mass_product M next d : product cons (M d) (fun o => mass (next o) d) (mass (ask M next) d).
  Proof. intros a b. reflexivity. Qed.
  Lemma mass_nonneg it d : asks_mechanisms it -> forall t, 0 <= mass it d t.
  Proof.
    induction it as [ | M next IH]; intros P [ | o t]; simpl; try lra. destruct P as [N P].
    apply Rmult_le_pos. apply N. apply IH, P.
  Qed.
  Theorem transcripts_mechanism it : asks_mechanisms it -> mechanism (transcripts it) (mass it).
  Proof.
    intros P d. split. now apply mass_nonneg. induction it as [ | M next IH]; simpl. lra. destruct P as [N P].
    rewrite sum_joined. rewrite (sum_ext l _ (M d)). apply N. intros o _. simpl. rewrite sum_scal, IH. lra. apply P.
  Qed.
End Transcripts.
