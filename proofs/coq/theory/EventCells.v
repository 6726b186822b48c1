(** * Connecting the dots on output spaces of any kind

    An observation with finitely many outcomes tells the cell of an output: on the events of a cell the ratio of two laws is
    between the cell's ends.  Proved here: the masses of the cells, split between their ends as in Cells.v, dominate the
    laws at every epsilon. *)
From Coq Require Import Bool Arith Lia.
From Dpref Require Import Finite Dominance Cells Events EventSampling.

(** On every event of a cell $\ell_k Q(S)\le P(S)\le h_k Q(S)$. *)
Definition between_ends {T} (E : (T -> bool) -> Prop) (P Q : (T -> bool) -> R) (f : T -> nat) (lo hi : nat -> R) :=
  forall k S, E S -> (forall t, S t = true -> f t = k) -> lo k * Q S <= P S <= hi k * Q S.
Lemma cell_gain lo hi a b p q alpha : lo < hi -> lo * b <= a <= hi * b -> lo * (q - b) <= p - a <= hi * (q - b) ->
  a - alpha * b <= Rmax 0 (lo * ((hi * q - p) / (hi - lo)) - alpha * ((hi * q - p) / (hi - lo)))
    + Rmax 0 (hi * ((p - lo * q) / (hi - lo)) - alpha * ((p - lo * q) / (hi - lo))).
Proof.
  intros L A B. assert (I : 0 < / (hi - lo)) by (apply Rinv_0_lt_compat; lra). unfold Rdiv. set (i := / (hi - lo)) in *.
  assert (E : a - alpha * b = (lo - alpha) * ((hi * b - a) * i) + (hi - alpha) * ((a - lo * b) * i)).
  { unfold i. field. lra. }
  assert (X : 0 <= (hi * b - a) * i <= (hi * q - p) * i) by (split; [apply Rmult_le_pos | apply Rmult_le_compat_r]; lra).
  assert (Y : 0 <= (a - lo * b) * i <= (p - lo * q) * i) by (split; [apply Rmult_le_pos | apply Rmult_le_compat_r]; lra).
  rewrite E. rewrite <- !Rmult_minus_distr_r. apply Rplus_le_compat.
  - destruct (Rle_dec 0 (lo - alpha)). apply Rle_trans with (2 := Rmax_r _ _). apply Rmult_le_compat_l; lra.
    apply Rle_trans with (2 := Rmax_l _ _). nra.
  - destruct (Rle_dec 0 (hi - alpha)). apply Rle_trans with (2 := Rmax_r _ _). apply Rmult_le_compat_l; lra.
    apply Rle_trans with (2 := Rmax_l _ _). nra.
Qed.
Theorem connect_the_dots_on {T} (E : (T -> bool) -> Prop) P Q n f (lo hi : nat -> R) : algebra E -> law E P -> law E Q ->
  observation E n f -> (forall k, (k < n)%nat -> lo k < hi k) -> between_ends E P Q f lo hi ->
  let p := seen P f in let q := seen Q f in
  dominated_on E P Q (split_outcomes (seq 0 n)) (split_first p q lo hi) (split_second p q lo hi).
Proof.
  intros A LP LQ [B O] W H p q eps S I. set (g := fun t => if S t then f t else n).
  assert (X : forall k t, (k < n)%nat -> (g t =? k) = S t && (f t =? k)).
  { intros k t K. unfold g. destruct (S t); simpl; auto. apply Nat.eqb_neq. lia. }
  assert (X0 : forall t, (g t =? n) = negb (S t)).
  { intros t. unfold g. specialize (B t). destruct (S t); simpl. apply Nat.eqb_neq. lia. apply Nat.eqb_refl. }
  pose proof A as (A1 & A2 & A3 & A4).
  assert (G : observation E (Datatypes.S n) g).
  { split. intros t. unfold g. specialize (B t). destruct (S t); lia. intros k. destruct (Nat.lt_trichotomy k n) as [K | [-> | K]].
    - apply (A4 (fun t => S t && (f t =? k))). intros t. now rewrite X. apply A3; auto.
    - apply (A4 (fun t => negb (S t))). intros t. now rewrite X0. now apply A2.
    - apply (A4 (fun t => negb true)). intros t. symmetry. apply Nat.eqb_neq. unfold g. specialize (B t). destruct (S t); lia. now apply A2. }
  assert (V : forall R, law E R -> R S = sum_over (seq 0 n) (seen R g)).
  { intros R L. destruct (seen_event E R (Datatypes.S n) g (fun k => k <? n) A L G) as [D _].
    transitivity (R (fun t => g t <? n)).
    - apply L. intros t. unfold g. specialize (B t). symmetry. destruct (S t). now apply Nat.ltb_lt. apply Nat.ltb_irrefl.
    - rewrite <- D. unfold prob. rewrite seq_S, sum_app. simpl. rewrite Nat.ltb_irrefl, !Rplus_0_r. apply sum_ext. intros k K.
      apply in_seq in K. now rewrite (proj2 (Nat.ltb_lt k n)) by lia. }
  rewrite (V P LP), (V Q LQ).
  enough (Z : sum_over (seq 0 n) (seen P g) - exp eps * sum_over (seq 0 n) (seen Q g)
    <= hockey (split_outcomes (seq 0 n)) eps (split_first p q lo hi) (split_second p q lo hi)) by lra.
  unfold hockey, split_outcomes. rewrite sum_prod, <- sum_scal, <- sum_minus. apply sum_le. intros k K. apply in_seq in K.
  simpl sum_over. rewrite Rplus_0_r. unfold split_first, split_second. simpl fst. simpl snd. cbv iota.
  apply cell_gain. apply W; lia.
  - apply H. apply G. intros t D. apply Nat.eqb_eq in D. unfold g in D. specialize (B t). destruct (S t); lia.
  - assert (M : forall R, law E R -> seen R f k - seen R g k = R (fun t => (f t =? k) && negb (g t =? k))).
    { intros R (_ & _ & L & L'). unfold seen. rewrite (L (fun t => f t =? k) (fun t => g t =? k)) by (auto; apply G).
      rewrite (L' (fun t => (f t =? k) && (g t =? k)) (fun t => g t =? k)). ring. intros t. rewrite X by lia.
      destruct (S t), (f t =? k); auto. }
    unfold p, q. rewrite (M P LP), (M Q LQ). apply H. apply A3. apply O. apply A2, G. intros t D.
    apply andb_true_iff in D. now apply Nat.eqb_eq.
Qed.
