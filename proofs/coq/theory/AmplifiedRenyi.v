(** * Renyi divergences of samples without replacement

    A sample of m of the n records, all equally likely, under replacing one record, for a mechanism that does not look
    at the records' order.  Proved here, from the definitions of Finite.v and Replacement.v: at every integer order of
    at least two the moment of the samples is at most one plus a sum over j of binomial coefficients, powers of m / n
    and divergences of order j between three neighbours; those are bounded by the Renyi divergences of the mechanism and
    by its epsilon (Wang, Balle and Kasiviswanathan 2019, Theorem 9, on finite output spaces). *)
From Dpref Require Import Finite Interaction Approximate Convexity Renyi Sampling Replacement.
From Coq Require Import Permutation.
Open Scope R_scope.

(** ** Powers *)

(** $x^a y^{1-a}$ does not grow when masses are merged. *)
Lemma moment_merged {I} (w : list I) (x y : I -> R) a : 1 <= a -> (forall i, In i w -> 0 <= x i) ->
  (forall i, In i w -> 0 <= y i) -> (forall i, In i w -> 0 < x i -> 0 < y i) ->
  sum_over w x * Rpower (sum_over w x / sum_over w y) (a - 1) <= sum_over w (fun i => x i * Rpower (x i / y i) (a - 1)).
Proof.
  intros A X Y S. set (sx := sum_over w x). set (sy := sum_over w y).
  destruct (sum_nonneg w x X) as [P | Z].
  - fold sx in P. assert (Q : 0 < sy).
    { destruct (sum_nonneg w y Y) as [Q | Z]; auto. exfalso. enough (sx <= 0) by lra.
      unfold sx. rewrite <- (sum_zero w). apply sum_le. intros i J.
      pose proof (sum_is_zero w y i Y (eq_sym Z) J) as E. specialize (X i J). specialize (S i J). lra. }
    set (r := sx / sy). assert (R0 : 0 < r) by (apply Rdiv_lt_0_compat; auto).
    apply Rle_trans with (sum_over w (fun i => Rpower r (a - 1) * (a * x i - (a - 1) * (r * y i)))).
    + rewrite sum_scal, sum_minus, !sum_scal. fold sx sy.
      replace (r * sy) with sx by (unfold r; field; lra). right. ring.
    + apply sum_le. intros i J. apply moment_tangent; auto.
  - fold sx in Z. rewrite <- Z, Rmult_0_l. apply sum_nonneg. intros i J. apply Rmult_le_pos; auto. left. apply exp_pos.
Qed.
Lemma power_of_ratio n x y : (0 < n)%nat -> 0 <= x -> 0 <= y -> (0 < x -> 0 < y) ->
  x * Rpower (x / y) (INR n - 1) = y * (x / y) ^ n.
Proof.
  intros N [X | <-] Y S.
  - specialize (S X). assert (Z : 0 < x / y) by (apply Rdiv_lt_0_compat; auto). rewrite <- Rpower_pow by auto.
    replace (INR n) with (1 + (INR n - 1)) at 2 by ring. rewrite Rpower_plus, Rpower_1 by auto. field. lra.
  - unfold Rdiv. rewrite !Rmult_0_l, pow_i by auto. ring.
Qed.
Lemma binomial_sum n x : (1 + x) ^ n = sum_over (seq 0 (S n)) (fun j => Binomial.C n j * x ^ j).
Proof.
  rewrite Rplus_comm, binomial. set (f j := Binomial.C n j * x ^ j).
  assert (E : forall k, sum_f_R0 f k = sum_over (seq 0 (S k)) f).
  { induction k as [ | k IH]. simpl. ring. rewrite seq_S, sum_app, <- IH. simpl. ring. }
  rewrite <- E. apply sum_eq. intros i _. unfold f. rewrite pow1. ring.
Qed.
Lemma C_nonneg n j : 0 <= Binomial.C n j.
Proof. unfold Binomial.C. left. apply Rdiv_lt_0_compat. apply INR_fact_lt_0. apply Rmult_lt_0_compat; apply
  INR_fact_lt_0. Qed.
Lemma C_zero n : Binomial.C n 0 = 1.
Proof. unfold Binomial.C. rewrite Nat.sub_0_r. simpl. field. apply INR_fact_neq_0. Qed.

(** What is left of the moment after its first two terms:
    $\sum_op(o)^nq(o)^{1-n}\le\sum_oq(o)+n\sum_o(p(o)-q(o))+\sum_{j=2}^n\binom nj\sum_o|p(o)-q(o)|^jq(o)^{1-j}$. *)
Lemma moment_expanded {O} (l : list O) k p q : distribution l p -> distribution l q -> supported l p q ->
  moment l (INR (2 + k)) p q
    <= 1 + sum_over (seq 2 (S k)) (fun j => Binomial.C (2 + k) j * moment l (INR j) (fun o => Rabs (p o - q o)) q).
Proof.
  intros [P SP] [Q SQ] Su. set (n := (2 + k)%nat).
  assert (E : 1 = sum_over l (fun o => q o + Binomial.C n 1 * (p o - q o))).
  { rewrite sum_plus, sum_scal, sum_minus, SP, SQ. ring. }
  rewrite E at 1. unfold moment at 2. rewrite (sum_ext (seq 2 (S k)) _ (fun j => sum_over l (fun o =>
    Binomial.C n j * (Rabs (p o - q o) * Rpower (Rabs (p o - q o) / q o) (INR j - 1))))) by (intros; now rewrite
      sum_scal).
  rewrite sum_swap, <- sum_plus. unfold moment. apply sum_le. intros o I.
  rewrite power_of_ratio; auto. 2: unfold n; lia.
  destruct (Q o) as [Q0 | Q0].
  - replace (p o / q o) with (1 + (p o - q o) / q o) by (field; lra). rewrite binomial_sum, <- sum_scal.
    change (seq 0 (S n)) with (0%nat :: 1%nat :: seq 2 (S k)). simpl sum_over.
    rewrite C_zero. simpl pow. rewrite <- Rplus_assoc. apply Rplus_le_compat. right. field. lra.
    change (sum_over (seq 2 (S k)) (fun j => q o * (Binomial.C n j * ((p o - q o) / q o) ^ j))
      <= sum_over (seq 2 (S k)) (fun j => Binomial.C n j * (Rabs (p o - q o) * Rpower (Rabs (p o - q o) / q o) (INR j -
        1)))).
    apply sum_le. intros j J. apply in_seq in J. rewrite power_of_ratio; auto. 2: lia. 2: apply Rabs_pos.
    replace (q o * (Binomial.C n j * ((p o - q o) / q o) ^ j)) with (Binomial.C n j * (q o * ((p o - q o) / q o) ^ j))
      by ring.
    apply Rmult_le_compat_l. apply C_nonneg. apply Rmult_le_compat_l. lra.
    replace (Rabs (p o - q o) / q o) with (Rabs ((p o - q o) / q o)).
    rewrite RPow_abs. apply Rle_abs. unfold Rdiv. rewrite Rabs_mult, (Rabs_pos_eq (/ q o)); auto.
    left. now apply Rinv_0_lt_compat.
  - assert (Z : p o = 0). { destruct (P o) as [H | H]; auto. specialize (Su o I H). lra. }
    rewrite <- Q0, Z, !Rmult_0_l, Rminus_0_r, Rmult_0_r, !Rplus_0_l, Rabs_R0.
    right. symmetry. transitivity (sum_over (seq 2 (S k)) (fun _ => 0)). 2: apply sum_zero.
    apply sum_ext. intros. ring.
Qed.

(** ** Samples with the replaced record, and samples that have another in its place *)

(** Each sample of m of the records c, with y and its weight, and with each of the records that are left and theirs. *)
Definition exchanged {X} m (y : X) (c : list X) : list (list X * X * R) :=
  flat_map (fun p => (fst p, y, INR (S m)) :: map (fun z => (fst p, z, 1)) (snd p)) (with_rest m c).
Lemma sum_exchanged {X} m (y : X) (c : list X) f : sum_over (exchanged m y c) f
  = sum_over (with_rest m c) (fun p => f (fst p, y, INR (S m)) + sum_over (snd p) (fun z => f (fst p, z, 1))).
Proof.
  unfold exchanged. set (k := INR (S m)). induction (with_rest m c) as [ | p w IH]; simpl; auto.
  rewrite sum_app, sum_map, IH. ring.
Qed.
Lemma sum_constant {A} (l : list A) c : sum_over l (fun _ => c) = INR (length l) * c.
Proof. induction l. simpl; ring. simpl length. rewrite S_INR. simpl. rewrite IHl. ring. Qed.

Section Sampled.
  Context {X O : Type} (l : list O) (M : list X -> O -> R).
  Hypothesis PM : mechanism l M.
  Hypothesis U : forall s s', Permutation s s' -> forall o, M s o = M s' o.
  Hypothesis supports : forall d d', replace_one d d' -> supported l (M d) (M d').
  Variables (m : nat) (c : list X) (x y : X).
  Hypothesis L : (m <= length c)%nat.
  Let rate := INR (S m) / (INR (length c) + 1).
  Let P := sampled (S m) M (x :: c).
  Let Q := sampled (S m) M (y :: c).
  Let w (i : list X * X * R) := snd i / ((INR (length c) + 1) * count m c).

  Lemma some_records : 0 < INR (length c) + 1.
  Proof. pose proof (pos_INR (length c)). lra. Qed.
  Lemma some_samples : 0 < count m c.
  Proof. now apply count_pos. Qed.
  Lemma samples_with : count (S m) (y :: c) * rate = count m c.
  Proof.
    pose proof some_records. unfold rate. unfold count at 1. simpl samples. rewrite sum_app, sum_map.
    fold (count m c) (count (S m) c). apply (Rmult_eq_reg_r (INR (length c) + 1)); [ | lra].
    replace ((count m c + count (S m) c) * (INR (S m) / (INR (length c) + 1)) * (INR (length c) + 1))
      with (INR (S m) * count m c + INR (S m) * count (S m) c) by (field; lra).
    rewrite count_step, S_INR. ring.
  Qed.
  Lemma rate_pos : 0 < rate.
  Proof. apply Rdiv_lt_0_compat. apply lt_0_INR. lia. apply some_records. Qed.
  Lemma same_count : count (S m) (x :: c) = count (S m) (y :: c).
  Proof. unfold count. simpl. now rewrite !sum_app, !sum_map. Qed.

  (** The samples of y :: c, as a mixture of what an exchanged record leaves. *)
  Lemma sample_of_exchanged o : Q o = sum_over (exchanged m y c) (fun i => w i * M (snd (fst i) :: fst (fst i)) o).
  Proof.
    pose proof some_records. pose proof some_samples. pose proof rate_pos as R0. pose proof samples_with as W.
    rewrite sum_exchanged. unfold w. cbn [fst snd]. set (t := (INR (length c) + 1) * count m c).
    rewrite (sum_ext _ _ (fun p => / t * (INR (S m) * M (y :: fst p) o + sum_over (snd p) (fun z => M (z :: fst p)
      o)))).
    2: { intros p _. rewrite Rmult_plus_distr_l, <- sum_scal. apply (f_equal2 Rplus). unfold Rdiv. ring.
         apply sum_ext. intros. unfold Rdiv. ring. }
    rewrite sum_scal, sum_plus, sum_scal, (one_more m c (fun s => M s o)).
    2: { intros s s' H1. now apply U. }
    rewrite (sum_with_rest m c (fun s => M (y :: s) o)). unfold Q, sampled. simpl samples. rewrite sum_app, sum_map.
    assert (C0 : 0 < count (S m) (y :: c)) by (apply count_pos; simpl; lia).
    apply (Rmult_eq_reg_r (count (S m) (y :: c))); [ | lra]. unfold t. rewrite <- W at 1. unfold rate.
    pose proof (lt_0_INR (S m) ltac:(lia)). field. repeat split; lra.
  Qed.
  Lemma weights : sum_over (exchanged m y c) w = 1.
  Proof.
    pose proof some_records. pose proof some_samples. rewrite sum_exchanged. unfold w. cbn [fst snd].
    rewrite (sum_ext _ _ (fun p => / count m c * 1)).
    2: { intros p I. rewrite sum_constant. pose proof (rest_length m c p I) as E. rewrite <- E, plus_INR, S_INR.
         pose proof (pos_INR (length (snd p))). pose proof (pos_INR m). field. lra. }
    rewrite sum_scal, (sum_with_rest m c (fun _ => 1)). fold (count m c). field. lra.
  Qed.
  Lemma weight_nonneg i : In i (exchanged m y c) -> 0 < w i.
  Proof.
    intros I. pose proof some_records. pose proof some_samples. apply in_flat_map in I.
    destruct I as (p & _ & [<- | I]); unfold w; apply Rdiv_lt_0_compat; try nra.
    cbn [snd]. apply lt_0_INR. lia. apply in_map_iff in I. destruct I as (z & <- & _). cbn [snd]. lra.
  Qed.
  (** Both samples differ only where they have the record. *)
  Lemma sample_gap o : Rabs (P o - Q o)
    <= sum_over (exchanged m y c) (fun i => rate * w i * Rabs (M (x :: fst (fst i)) o - M (y :: fst (fst i)) o)).
  Proof.
    pose proof some_records. pose proof some_samples as C0. pose proof rate_pos. pose proof samples_with as W.
    rewrite sum_exchanged. unfold w. cbn [fst snd]. set (g s := Rabs (M (x :: s) o - M (y :: s) o)).
    rewrite (sum_ext _ _ (fun p => rate / count m c * g (fst p))).
    2: { intros p I. rewrite sum_constant. pose proof (rest_length m c p I) as E. fold (g (fst p)).
         rewrite <- E, plus_INR, S_INR. pose proof (pos_INR (length (snd p))). pose proof (pos_INR m). field. lra. }
    rewrite sum_scal, (sum_with_rest m c g). unfold P, Q, sampled. rewrite same_count. simpl samples.
    rewrite !sum_app, !sum_map. rewrite <- W. assert (C1 : 0 < count (S m) (y :: c)) by (apply count_pos; simpl; lia).
    replace (rate / (count (S m) (y :: c) * rate)) with (/ count (S m) (y :: c)) by (field; lra).
    match goal with |- Rabs ?v <= _ => replace v with (/ count (S m) (y :: c) * (sum_over (samples m c) (fun a => M (x
      :: a) o)
      - sum_over (samples m c) (fun a => M (y :: a) o))) by (unfold Rdiv; ring) end.
    rewrite Rabs_mult, (Rabs_pos_eq (/ _)) by (left; now apply Rinv_0_lt_compat).
    apply Rmult_le_compat_l. left; now apply Rinv_0_lt_compat. rewrite <- sum_minus. unfold g. clear.
    induction (samples m c) as [ | s w IH]; simpl. rewrite Rabs_R0. lra.
    eapply Rle_trans. apply Rabs_triang. lra.
  Qed.
  Lemma neighbours_of z z' s : replace_one (z :: s) (z' :: s : list X).
  Proof. now exists [], z, z', s. Qed.
  Lemma gap_supported z s o : In o l -> 0 < Rabs (M (x :: s) o - M (y :: s) o) -> 0 < M (z :: s) o.
  Proof.
    intros I H. destruct (PM (z :: s)) as [N _]. destruct (N o) as [H1 | H1]; auto. exfalso.
    assert (Z : forall z', M (z' :: s) o = 0).
    { intros z'. destruct (PM (z' :: s)) as [N' _]. destruct (N' o) as [H2 | H2]; auto.
      pose proof (supports _ _ (neighbours_of z' z s) o I H2). lra. }
    rewrite !Z, Rminus_diag_eq, Rabs_R0 in H; lra.
  Qed.
  (** The divergence between three samples is that between three neighbours, times a power of the rate. *)
  Lemma sampled_gap j B : (1 <= j)%nat ->
    (forall s z, moment l (INR j) (fun o => Rabs (M (x :: s) o - M (y :: s) o)) (M (z :: s)) <= B) ->
    moment l (INR j) (fun o => Rabs (P o - Q o)) Q <= rate ^ j * B.
  Proof.
    intros J H. assert (J1 : 1 <= INR j) by (replace 1 with (INR 1) by reflexivity; now apply le_INR).
    pose proof rate_pos as R0.
    set (g := fun (i : list X * X * R) o => Rabs (M (x :: fst (fst i)) o - M (y :: fst (fst i)) o)).
    set (r := fun (i : list X * X * R) o => M (snd (fst i) :: fst (fst i)) o).
    assert (G0 : forall i o, 0 <= g i o) by (intros; apply Rabs_pos).
    assert (N0 : forall i o, 0 <= r i o) by (intros; apply PM).
    apply Rle_trans with (sum_over (exchanged m y c) (fun i => rate ^ j * (w i * moment l (INR j) (g i) (r i)))).
    - unfold moment. apply Rle_trans with (sum_over l (fun o => sum_over (exchanged m y c) (fun i =>
        rate ^ j * (w i * (g i o * Rpower (g i o / r i o) (INR j - 1)))))).
      + apply sum_le. intros o I.
        set (xs := sum_over (exchanged m y c) (fun i => rate * w i * g i o)).
        set (ys := sum_over (exchanged m y c) (fun i => w i * r i o)).
        assert (EQ : Q o = ys) by apply sample_of_exchanged.
        assert (GP : Rabs (P o - Q o) <= xs) by apply sample_gap.
        assert (PX : forall i, In i (exchanged m y c) -> 0 <= rate * w i * g i o).
        { intros i K. pose proof (weight_nonneg i K). apply Rmult_le_pos; auto. apply Rmult_le_pos; lra. }
        assert (PY : forall i, In i (exchanged m y c) -> 0 <= w i * r i o).
        { intros i K. pose proof (weight_nonneg i K). apply Rmult_le_pos; auto. lra. }
        assert (PS : forall i, In i (exchanged m y c) -> 0 < rate * w i * g i o -> 0 < w i * r i o).
        { intros i K V. pose proof (weight_nonneg i K). apply Rmult_lt_0_compat; auto. apply gap_supported; auto.
          fold (g i o). destruct (G0 i o) as [V' | V']; auto. rewrite <- V' in V. lra. }
        apply Rle_trans with (xs * Rpower (xs / ys) (INR j - 1)).
        { destruct (Rabs_pos (P o - Q o)) as [V | <-].
          2: { rewrite Rmult_0_l. apply Rmult_le_pos. now apply sum_nonneg. left; apply exp_pos. }
          assert (YS : 0 < ys).
          { destruct (sum_nonneg _ _ PY) as [V' | V']; auto. exfalso. fold ys in V'.
            enough (xs <= 0) by lra. unfold xs. rewrite <- (sum_zero (exchanged m y c)). apply sum_le.
            intros i K. pose proof (sum_is_zero _ _ i PY (eq_sym V') K) as Z. cbv beta in Z.
            destruct (PX i K) as [V2 | V2]; [ | lra]. specialize (PS i K V2). lra. }
          rewrite <- EQ in YS. rewrite <- EQ.
          apply Rmult_le_compat; auto. lra. left; apply exp_pos.
          apply Rle_Rpower_l. lra. split. now apply Rdiv_lt_0_compat.
          apply Rmult_le_compat_r; auto. left; now apply Rinv_0_lt_compat. }
        eapply Rle_trans. apply moment_merged; auto. right. apply sum_ext. intros i K.
        pose proof (weight_nonneg i K) as W0. destruct (G0 i o) as [V | V].
        * assert (R1 : 0 < r i o) by (now apply gap_supported).
          replace (rate * w i * g i o / (w i * r i o)) with (rate * (g i o / r i o)) by (field; lra).
          rewrite <- Rpower_mult_distr by (auto; apply Rdiv_lt_0_compat; auto).
          replace (rate ^ j) with (rate * Rpower rate (INR j - 1)). ring.
          rewrite <- Rpower_pow by auto. rewrite <- (Rpower_1 rate) at 1 by auto. rewrite <- Rpower_plus. f_equal. ring.
        * rewrite <- V, !Rmult_0_r, !Rmult_0_l, !Rmult_0_r. ring.
      + rewrite sum_swap. apply sum_le. intros i _. rewrite <- !sum_scal. right. apply sum_ext. intros. ring.
    - rewrite sum_scal. apply Rmult_le_compat_l. apply pow_le. lra.
      rewrite <- (Rmult_1_l B), <- weights, <- sum_scal_r. apply sum_le. intros i K. apply Rmult_le_compat_l.
      left. now apply weight_nonneg. apply H.
  Qed.
  Lemma sampled_supported : supported l P Q.
  Proof.
    intros o I H. destruct (proj1 (sampled_distribution l (S m) M (y :: c) ltac:(simpl; lia) PM) o) as [K | K].
    exact K. exfalso. fold Q in K. unfold P, Q, sampled in *. rewrite same_count in H.
    assert (C0 : 0 < count (S m) (y :: c)) by (apply count_pos; simpl; lia). simpl samples in *.
    rewrite sum_app, sum_map in H, K.
    assert (N1 : forall z, 0 <= sum_over (samples m c) (fun s => M (z :: s) o)) by (intros; apply sum_nonneg; intros;
      apply PM).
    assert (N0 : 0 <= sum_over (samples (S m) c) (fun s => M s o)) by (apply sum_nonneg; intros; apply PM).
    pose proof (Rinv_0_lt_compat _ C0) as I0. unfold Rdiv in *.
    assert (Z : sum_over (samples m c) (fun s => M (y :: s) o) + sum_over (samples (S m) c) (fun s => M s o) = 0) by
      nra.
    pose proof (N1 y). assert (Z1 : sum_over (samples m c) (fun s => M (y :: s) o) = 0) by lra.
    assert (ZX : sum_over (samples m c) (fun s => M (x :: s) o) <= 0).
    { rewrite <- (sum_zero (samples m c)). apply sum_le. intros s J.
      pose proof (sum_is_zero _ _ s (fun b _ => proj1 (PM (y :: b)) o) Z1 J) as Zs. simpl in Zs.
      destruct (proj1 (PM (x :: s)) o) as [V | V]; [ | lra].
      pose proof (supports _ _ (neighbours_of x y s) o I V). lra. }
    nra.
  Qed.
End Sampled.
