(** * Rounded sums

    Recursive summation of non-negative terms, each addition off by a relative error of its own of at most u.
    Proved here:
    the sum of n terms is off by at most (n - 1) u / (1 - n u), relatively (Higham 2002, Section 4.2). *)
From Dpref Require Import Finite.

(** [rounded_sum u l s r]: the terms l add up to s, and to r with an error in each addition. *)
Inductive rounded_sum (u : R) : list R -> R -> R -> Prop :=
  | one_term x : rounded_sum u [x] x x
  | one_more x l s r e : rounded_sum u l s r -> Rabs e <= u -> rounded_sum u (x :: l) (x + s) ((x + r) * (1 + e)).

Lemma pow_below_one u k : 0 <= u -> INR k * u <= 1 -> (1 + u) ^ k * (1 - INR k * u) <= 1.
Proof.
  intros U. induction k as [ | k IH]; intros H. simpl. lra. rewrite S_INR in *. simpl. pose proof (pos_INR k).
  specialize (IH ltac:(nra)). pose proof (pow_le (1 + u) k ltac:(lra)).
  apply Rle_trans with ((1 + u) ^ k * (1 - INR k * u)); auto.
  replace ((1 + u) * (1 + u) ^ k * (1 - (INR k + 1) * u)) with ((1 + u) ^ k * ((1 + u) * (1 - (INR k + 1) * u))) by
    ring.
  apply Rmult_le_compat_l; auto. nra.
Qed.
Lemma pow_above u k : 0 <= u <= 1 -> 1 - INR k * u <= (1 - u) ^ k.
Proof.
  intros U. induction k as [ | k IH]. simpl. lra. rewrite S_INR. simpl. pose proof (pow_le (1 - u) k ltac:(lra)).
  pose proof (pos_INR k). destruct (Rle_lt_dec 0 (1 - INR k * u)). nra. nra.
Qed.
Lemma rounded_between u l s r : 0 <= u <= 1 -> (forall x, In x l -> 0 <= x) -> rounded_sum u l s r ->
  0 <= s /\ s * (1 - u) ^ (length l - 1) <= r <= s * (1 + u) ^ (length l - 1).
Proof.
  intros U P H. induction H as [x | x l s r e H IH E].
  - simpl. specialize (P x (or_introl eq_refl)). lra.
  - pose proof (P x (or_introl eq_refl)) as X. destruct (IH (fun y I => P y (or_intror I))) as (S & L & M).
    assert (N : exists k, (length l - 1)%nat = k /\ length l = Datatypes.S k).
    { destruct H; simpl; eexists; split; try reflexivity; lia. }
    destruct N as (k & N1 & N2). rewrite N1 in L, M. simpl length. rewrite N2. simpl Nat.sub.
    rewrite <- !tech_pow_Rmult.
    pose proof (Rabs_pos e). assert (EB : - u <= e <= u) by (unfold Rabs in E; destruct (Rcase_abs e); lra).
    assert (A1 : (1 - u) ^ k <= 1) by (apply Rle_trans with (1 ^ k); [apply pow_incr; lra | rewrite pow1; lra]).
    assert (A2 : 1 <= (1 + u) ^ k) by (apply pow_R1_Rle; lra). assert (A0 : 0 <= (1 - u) ^ k) by (apply pow_le; lra).
    assert (R0 : 0 <= r) by (assert (0 <= s * (1 - u) ^ k) by (apply Rmult_le_pos; lra); lra).
    split; [lra | split].
    + apply Rle_trans with ((x + r) * (1 - u)).
      * replace ((x + s) * ((1 - u) * (1 - u) ^ k)) with ((x * (1 - u) ^ k + s * (1 - u) ^ k) * (1 - u)) by ring.
        apply Rmult_le_compat_r. lra. apply Rplus_le_compat; auto. rewrite <- (Rmult_1_r x) at 2.
        apply Rmult_le_compat_l; auto.
      * apply Rmult_le_compat_l; lra.
    + apply Rle_trans with ((x + r) * (1 + u)). apply Rmult_le_compat_l; lra.
      replace ((x + s) * ((1 + u) * (1 + u) ^ k)) with ((x * (1 + u) ^ k + s * (1 + u) ^ k) * (1 + u)) by ring.
      apply Rmult_le_compat_r. lra. apply Rplus_le_compat; auto. rewrite <- (Rmult_1_r x) at 1.
      apply Rmult_le_compat_l; auto.
Qed.
(** $|r-s|\le\frac{(n-1)u}{1-nu}\,s$. *)
Theorem recursive_summation u l s r : 0 <= u -> (forall x, In x l -> 0 <= x) -> rounded_sum u l s r ->
  INR (length l) * u < 1 -> Rabs (r - s) <= INR (length l - 1) * u / (1 - INR (length l) * u) * s.
Proof.
  intros U P H N. assert (L : exists k, (length l - 1)%nat = k /\ length l = S k).
  { destruct H; simpl; eexists; split; try reflexivity; lia. }
  destruct L as (k & L1 & L2). assert (K : INR (length l) = INR k + 1) by (rewrite L2; apply S_INR).
  pose proof (pos_INR k) as K0.
  rewrite K in N. assert (U1 : u <= 1) by nra. destruct (rounded_between u l s r (conj U U1) P H) as (S0 & B1 & B2).
  rewrite L1 in *. rewrite K. set (w := 1 - (INR k + 1) * u). assert (W : 0 < w <= 1) by (unfold w; nra).
  assert (Q : 0 <= INR k * u) by (apply Rmult_le_pos; lra).
  assert (F : INR k * u <= INR k * u / w).
  { unfold Rdiv. rewrite <- (Rmult_1_r (INR k * u)) at 1. apply Rmult_le_compat_l; auto. rewrite <- Rinv_1.
    apply Rinv_le_contravar; lra. }
  assert (G : (1 + u) ^ k - 1 <= INR k * u / w).
  { pose proof (pow_below_one u k U ltac:(nra)) as D. set (v := 1 - INR k * u) in *.
    assert (V : w <= v) by (unfold v, w; nra).
    apply Rle_trans with (INR k * u / v).
    - apply (Rmult_le_reg_r v). lra. replace (INR k * u / v * v) with (1 - v) by (unfold v; field; unfold v in V;
        lra). nra.
    - unfold Rdiv. apply Rmult_le_compat_l; auto. apply Rinv_le_contravar; lra. }
  pose proof (pow_above u k (conj U U1)) as D. unfold Rabs. destruct (Rcase_abs (r - s)).
  - apply Rle_trans with (s * (INR k * u)). nra. rewrite Rmult_comm. apply Rmult_le_compat_r; auto.
  - apply Rle_trans with (s * ((1 + u) ^ k - 1)). nra. rewrite Rmult_comm. apply Rmult_le_compat_r; auto.
Qed.
