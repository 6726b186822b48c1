(** * The binary tree

    Node (h, j) of the tree over the leaves 1, 2, ... holds the leaves j 2^h + 1 to (j + 1) 2^h;
      it is released once its last
    leaf is there.  Proved here: of n leaves, a leaf is in at most floor(log2 n) + 1 released nodes, in at most
    ceil(log2 n) + 1 where n is padded to a power of two, and the first leaf is in that many: what one record can
      move. *)
From Coq Require Import List Arith Lia FinFun.
Import ListNotations.

Definition holds (t : nat) (node : nat * nat) := let (h, j) := node in j * 2 ^ h < t <= (j + 1) * 2 ^ h.
Definition released (n : nat) (node : nat * nat) := let (h, j) := node in (j + 1) * 2 ^ h <= n.
(** Different nodes, all released, that hold leaf t. *)
Definition touched n t (nodes : list (nat * nat)) :=
  NoDup nodes /\ forall node, In node nodes -> released n node /\ holds t node.

Lemma one_node_a_height t h j j' : holds t (h, j) -> holds t (h, j') -> j = j'.
Proof.
  simpl. pose proof (Nat.pow_nonzero 2 h ltac:(lia)) as P. set (w := 2 ^ h) in *. intros [A B] [A' B'].
  assert (j < j' + 1) by (apply (Nat.mul_lt_mono_pos_r w); lia).
  assert (j' < j + 1) by (apply (Nat.mul_lt_mono_pos_r w); lia). lia.
Qed.
Lemma released_height n h j : released n (h, j) -> h < S (Nat.log2 n).
Proof.
  simpl. intros H. pose proof (Nat.pow_nonzero 2 h ltac:(lia)). assert (P : 2 ^ h <= n) by nia.
  pose proof (Nat.log2_le_mono _ _ P) as L. rewrite Nat.log2_pow2 in L; lia.
Qed.
Theorem nodes_of_a_leaf n t nodes : touched n t nodes -> length nodes <= Nat.log2 n + 1.
Proof.
  intros [D H]. rewrite <- (map_length fst), Nat.add_1_r, <- (seq_length (S (Nat.log2 n)) 0). apply NoDup_incl_length.
  - induction D as [ | [h j] nodes N D IH]; simpl; constructor.
    + intros I. apply in_map_iff in I. destruct I as ([h' j'] & E & I). simpl in E. subst h'. apply N.
      rewrite (one_node_a_height t h j j'); auto. apply (H (h, j)). now left. apply (H (h, j')). now right.
    + apply IH. intros node I. apply H. now right.
  - intros h I. apply in_map_iff in I. destruct I as ([h' j] & <- & I). apply in_seq. simpl.
    pose proof (released_height n h' j (proj1 (H _ I))). lia.
Qed.
(** The first leaf is in one released node of every height. *)
Theorem nodes_of_the_first_leaf n : 1 <= n ->
  touched n 1 (map (fun h => (h, 0)) (seq 0 (Nat.log2 n + 1))) /\ length (map (fun h => (h, 0)) (seq 0 (Nat.log2 n +
    1))) = Nat.log2 n + 1.
Proof.
  intros N. split. 2: now rewrite map_length, seq_length. split.
  - apply Injective_map_NoDup. intros a b E. now injection E. apply seq_NoDup.
  - intros node I. apply in_map_iff in I. destruct I as (h & <- & I). apply in_seq in I.
    assert (P : 2 ^ h <= n).
    { apply Nat.le_trans with (2 ^ Nat.log2 n). apply Nat.pow_le_mono_r; lia. apply Nat.log2_spec. lia. }
    pose proof (Nat.pow_nonzero 2 h ltac:(lia)). simpl. lia.
Qed.
(** Padded to the next power of two. *)
Corollary nodes_of_a_leaf_padded n t nodes : touched (2 ^ Nat.log2_up n) t nodes -> length nodes <= Nat.log2_up n + 1.
Proof. intros H. apply nodes_of_a_leaf in H. rewrite Nat.log2_pow2 in H; lia. Qed.
