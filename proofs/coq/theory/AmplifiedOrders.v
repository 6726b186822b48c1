(** * Amplification of Renyi divergences at integer orders

    A sample of m of n records without replacement, under replacing one record: a mechanism with divergences D(j) at the
    orders j = 2, ..., a, and perhaps epsilon-DP, has on the sample at most the divergence that Wang, Balle and
    Kasiviswanathan (2019, Theorem 9) give at the integer order a.  Proved from the definitions of Finite.v and
    Replacement.v on finite output spaces, for a mechanism that does not look at the records' order; what three
    neighbours differ by is bounded in the three ways of the theorem. *)
From Dpref Require Import Finite Interaction Approximate Convexity Renyi Sampling Replacement AmplifiedRenyi.
From Coq Require Import Permutation.
Open Scope R_scope.

(** $\sum_{j=2}^a\binom aj\gamma^jB_j$ *)
Definition sampled_total (a : nat) rate (B : nat -> R) :=
  sum_over (seq 2 (a - 1)) (fun j => Binomial.C a j * rate ^ j * B j).

Lemma renyi_ext {O} (l : list O) a r p p' q q' : (forall o, p o = p' o) -> (forall o, q o = q' o) ->
  renyi l a r p q -> renyi l a r p' q'.
Proof.
  intros EP EQ [S M]. split. intros o I. rewrite <- EP, <- EQ. auto.
  eapply Rle_trans. 2: apply M. right. apply sum_ext. intros o _. now rewrite EP, EQ.
Qed.
(** What differs between three neighbours, at most $B_j$ at the order j, gives on samples
    $D_a\le\frac1{a-1}\ln\bigl(1+\sum_{j=2}^a\binom aj\gamma^jB_j\bigr)$. *)
Theorem sampled_renyi {X O} (l : list O) m n a (M : list X -> O -> R) B : (0 < m <= n)%nat -> (2 <= a)%nat ->
  mechanism l M -> (forall s s', Permutation s s' -> forall o, M s o = M s' o) ->
  (forall d d', replace_one d d' -> supported l (M d) (M d')) ->
  (forall j x y z s, (2 <= j <= a)%nat ->
    moment l (INR j) (fun o => Rabs (M (x :: s) o - M (y :: s) o)) (M (z :: s)) <= B j) ->
  RDP (replace_one_of n) l (INR a) (ln (1 + sampled_total a (INR m / INR n) B) / (INR a - 1)) (sampled m M).
Proof.
  intros L A P U Su H d d' [N (u & x & y & v & -> & ->)]. destruct m as [ | m]. lia.
  rewrite app_length in N. simpl in N. set (c := u ++ v).
  assert (Lc : S (length c) = n) by (unfold c; rewrite app_length; lia).
  assert (PX : forall z o, sampled (S m) M (z :: c) o = sampled (S m) M (u ++ z :: v) o).
  { intros z o. unfold sampled, count. assert (Q : Permutation (z :: c) (u ++ z :: v)) by apply Permutation_middle.
    rewrite (samples_permutation _ _ Q (S m) (fun s => M s o)), (samples_permutation _ _ Q (S m) (fun _ => 1)); auto.
    intros ? ? _; reflexivity. intros s s' T. now apply U. }
  apply (renyi_ext l _ _ (sampled (S m) M (x :: c)) _ (sampled (S m) M (y :: c))); auto.
  assert (Lm : (m <= length c)%nat) by lia.
  set (rate := INR (S m) / INR n). assert (R1 : INR (length c) + 1 = INR n) by (rewrite <- Lc, S_INR; ring).
  assert (B0 : forall j, (2 <= j <= a)%nat -> 0 <= B j).
  { intros j J. eapply Rle_trans. 2: exact (H j x y y [] J). apply moment_nonneg. intros; apply Rabs_pos. }
  assert (R0 : 0 <= rate) by (apply Rmult_le_pos; [apply pos_INR | left; apply Rinv_0_lt_compat, lt_0_INR; lia]).
  split. now apply sampled_supported. destruct a as [ | [ | k]]; try lia.
  eapply Rle_trans. apply (moment_expanded l k); try (apply sampled_distribution; auto; simpl; lia).
  now apply sampled_supported.
  assert (T : 0 <= sampled_total (S (S k)) rate B).
  { apply sum_nonneg. intros j J. apply in_seq in J. apply Rmult_le_pos. apply Rmult_le_pos. apply C_nonneg.
    now apply pow_le. apply B0. lia. }
  assert (K : 1 < INR (S (S k))) by (replace 1 with (INR 1) by reflexivity; apply lt_INR; lia).
  match goal with |- _ <= exp ?e => replace e with (ln (1 + sampled_total (S (S k)) rate B)) by (field; lra) end.
  rewrite exp_ln by lra. apply Rplus_le_compat_l. unfold sampled_total.
  replace (S (S k) - 1)%nat with (S k) by lia. apply sum_le. intros j J. apply in_seq in J.
  rewrite Rmult_assoc. apply Rmult_le_compat_l. apply C_nonneg. unfold rate. rewrite <- R1.
  apply sampled_gap; auto. lia. intros s z. apply H. lia.
Qed.

(** ** What three neighbours differ by *)

Lemma power_grows a x x' y : 1 <= a -> 0 <= x <= x' -> 0 <= y -> (0 < x' -> 0 < y) ->
  x * Rpower (x / y) (a - 1) <= x' * Rpower (x' / y) (a - 1).
Proof.
  intros A [[X | <-] L] Y S.
  - specialize (S (Rlt_le_trans _ _ _ X L)). apply Rmult_le_compat; auto. lra. left; apply exp_pos.
    apply Rle_Rpower_l. lra. split. now apply Rdiv_lt_0_compat. apply Rmult_le_compat_r; auto.
    left. now apply Rinv_0_lt_compat.
  - rewrite Rmult_0_l. apply Rmult_le_pos. lra. left; apply exp_pos.
Qed.
Section Three.
  Context {O : Type} (l : list O) (p q r : O -> R) (j : nat) (D : R).
  Hypothesis P : forall o, 0 <= p o.
  Hypothesis Q : forall o, 0 <= q o.
  Hypothesis R0 : forall o, 0 <= r o.
  Hypothesis J : (1 <= j)%nat.
  Hypothesis HP : renyi l (INR j) D p r.
  Let J1 : 1 <= INR j := le_INR 1 j J.

  (** $\sum|p-q|^jr^{1-j}\le2e^{(j-1)D}$ *)
  Lemma three_any : renyi l (INR j) D q r ->
    moment l (INR j) (fun o => Rabs (p o - q o)) r <= exp ((INR j - 1) * D) * 2.
  Proof.
    intros [SQ MQ]. destruct HP as [SP MP].
    enough (moment l (INR j) (fun o => Rabs (p o - q o)) r <= moment l (INR j) p r + moment l (INR j) q r) by lra.
    unfold moment. rewrite <- sum_plus. apply sum_le. intros o I.
    assert (Z : forall s, 0 <= s -> 0 <= s * Rpower (s / r o) (INR j - 1)).
    { intros s H. apply Rmult_le_pos; auto. left; apply exp_pos. }
    pose proof (P o). pose proof (Q o). pose proof (Z _ H). pose proof (Z _ H0).
    destruct (Rle_lt_dec (q o) (p o)) as [C | C].
    - rewrite Rabs_pos_eq by lra. enough ((p o - q o) * Rpower ((p o - q o) / r o) (INR j - 1)
        <= p o * Rpower (p o / r o) (INR j - 1)) by lra. apply power_grows; auto; lra.
    - rewrite Rabs_left by lra. enough (- (p o - q o) * Rpower (- (p o - q o) / r o) (INR j - 1)
        <= q o * Rpower (q o / r o) (INR j - 1)) by lra. apply power_grows; auto; lra.
  Qed.
  (** $\sum|p-q|^jr^{1-j}\le e^{(j-1)D}(e^\varepsilon-1)^j$ where $p\le e^\varepsilon q$ and $q\le e^\varepsilon p$ *)
  Lemma three_pure eps : 0 <= eps -> (forall o, In o l -> p o <= exp eps * q o) ->
    (forall o, In o l -> q o <= exp eps * p o) ->
    moment l (INR j) (fun o => Rabs (p o - q o)) r <= exp ((INR j - 1) * D) * (exp eps - 1) ^ j.
  Proof.
    intros E H H'. destruct HP as [SP MP]. pose proof (exp_ineq1_le eps) as E1. set (k := exp eps - 1).
    assert (K : 0 <= k) by (unfold k; lra). assert (KJ : 0 <= k ^ j) by now apply pow_le.
    apply Rle_trans with (k ^ j * moment l (INR j) p r). 2: nra. unfold moment. rewrite <- sum_scal.
    apply sum_le. intros o I. specialize (H o I). specialize (H' o I). pose proof (P o). pose proof (Q o).
    assert (G : Rabs (p o - q o) <= k * p o) by (unfold k; apply Rabs_le; split; nra).
    assert (S1 : 0 < k * p o -> 0 < r o). { intros V. apply SP; auto. destruct H0 as [V' | V']; auto. nra. }
    eapply Rle_trans. apply power_grows with (x' := k * p o); auto. split; auto. apply Rabs_pos.
    rewrite !power_of_ratio; auto; try nra. unfold Rdiv. rewrite !Rmult_assoc, Rpow_mult_distr. right. ring.
  Qed.
End Three.
(** $\sum(p-q)^2/r\le4(e^{D_2}-1)$ *)
Lemma three_squares {O} (l : list O) p q r D : distribution l p -> distribution l q -> distribution l r ->
  renyi l (INR 2) D p r -> renyi l (INR 2) D q r ->
  moment l (INR 2) (fun o => Rabs (p o - q o)) r <= 4 * (exp D - 1).
Proof.
  intros [P SP] [Q SQ] [R0 SR] [S1 M1] [S2 M2].
  assert (X : forall p, (forall o, 0 <= p o) -> sum_over l p = 1 -> supported l p r ->
    moment l (INR 2) p r <= exp ((INR 2 - 1) * D) -> sum_over l (fun o => r o * ((p o - r o) / r o) ^ 2) <= exp D - 1).
  { intros s N T S M. replace ((INR 2 - 1) * D) with D in M by (simpl; ring).
    enough (sum_over l (fun o => r o * ((s o - r o) / r o) ^ 2) <= sum_over l (fun o =>
      s o * Rpower (s o / r o) (INR 2 - 1) - 2 * s o + r o)) as K.
    { rewrite sum_plus, sum_minus, sum_scal, T, SR in K. unfold moment in M. lra. }
    apply sum_le. intros o I. rewrite power_of_ratio; auto. destruct (R0 o) as [V | V]. right. field. lra.
    destruct (N o) as [W | W]. specialize (S o I W). lra. rewrite <- V, <- W. unfold Rdiv. right. ring. }
  pose proof (X p P SP S1 M1) as X1. pose proof (X q Q SQ S2 M2) as X2.
  enough (moment l (INR 2) (fun o => Rabs (p o - q o)) r
    <= sum_over l (fun o => 2 * (r o * ((p o - r o) / r o) ^ 2) + 2 * (r o * ((q o - r o) / r o) ^ 2))) as K.
  { rewrite sum_plus, !sum_scal in K. lra. }
  apply sum_le. intros o I. destruct (R0 o) as [V | V].
  - rewrite power_of_ratio; auto; try lra. 2: apply Rabs_pos. unfold Rdiv. rewrite !Rpow_mult_distr, pow2_abs.
    enough ((p o - q o) ^ 2 <= 2 * (p o - r o) ^ 2 + 2 * (q o - r o) ^ 2) as G.
    { assert (W : 0 <= r o * (/ r o) ^ 2) by (apply Rmult_le_pos; auto; apply pow2_ge_0).
      apply (Rmult_le_compat_l _ _ _ W) in G. lra. }
    pose proof (pow2_ge_0 (p o - r o + (q o - r o))). nra.
  - assert (Z : forall s, (forall o, 0 <= s o) -> supported l s r -> s o = 0).
    { intros s N S. destruct (N o) as [W | W]; auto. specialize (S o I W). lra. }
    rewrite (Z p P S1), (Z q Q S2), <- V, Rminus_0_r, Rabs_R0. right. ring.
Qed.

(** ** Theorem 9 *)

(** $m_j=\min\{2,(e^\varepsilon-1)^j\}$ for an $\varepsilon$-DP mechanism, and 2 for any other. *)
Definition gap_factor (pure : option R) j := match pure with None => 2 | Some eps => Rmin 2 ((exp eps - 1) ^ j) end.
(** $\min\{4(e^{D_2}-1),e^{D_2}m_2\}$, and $e^{(j-1)D_j}m_j$ for $j\ge3$. *)
Definition gap_bound (D : nat -> R) pure j :=
  if Nat.eqb j 2 then Rmin (4 * (exp (D 2%nat) - 1)) (exp (D 2%nat) * gap_factor pure 2)
  else exp ((INR j - 1) * D j) * gap_factor pure j.
(** On a sample of m of n records, $\gamma=\frac mn$, with numbers that are no less than each of the bounds of three
    neighbours: $D_a\le\frac1{a-1}\ln\bigl(1+\sum_{j=2}^a\binom aj\gamma^jB_j\bigr)$. *)
Theorem amplified_at_most {X O} (l : list O) m n a (M : list X -> O -> R) D pure B :
  (0 < m <= n)%nat -> (2 <= a)%nat -> mechanism l M ->
  (forall s s', Permutation s s' -> forall o, M s o = M s' o) ->
  (forall j, (2 <= j <= a)%nat -> RDP replace_one l (INR j) (D j) M) ->
  match pure with None => True | Some eps => 0 <= eps /\ DP replace_one l eps 0 M end ->
  (forall j, (2 <= j <= a)%nat -> gap_bound D pure j <= B j) ->
  RDP (replace_one_of n) l (INR a) (ln (1 + sampled_total a (INR m / INR n) B) / (INR a - 1)) (sampled m M).
Proof.
  intros L A P U H E BB. apply sampled_renyi; auto.
  - intros d d' N. apply (H 2%nat). lia. exact N.
  - intros j x y z s J. eapply Rle_trans. 2: now apply BB. pose proof (H j J _ _ (neighbours_of x z s)) as Hx. pose proof (H j J _ _ (neighbours_of y z s))
    as Hy.
    assert (K : moment l (INR j) (fun o => Rabs (M (x :: s) o - M (y :: s) o)) (M (z :: s))
      <= exp ((INR j - 1) * D j) * gap_factor pure j).
    { pose proof (three_any l (M (x :: s)) (M (y :: s)) (M (z :: s)) j (D j) (proj1 (P _)) (proj1 (P _)) (proj1 (P _))
        ltac:(lia) Hx Hy) as K2. destruct pure as [eps | ]; simpl; auto. destruct E as [E0 E].
      pose proof (fun u v => proj1 (pure_is_pointwise _ _ _ _) E _ _ (neighbours_of u v s)) as R.
      pose proof (three_pure l (M (x :: s)) (M (y :: s)) (M (z :: s)) j (D j) (proj1 (P _)) (proj1 (P _)) (proj1 (P _))
        ltac:(lia) Hx eps E0 (R x y) (R y x)) as K3.
      unfold Rmin. destruct (Rle_dec _ _); auto. }
    unfold gap_bound. destruct (Nat.eqb_spec j 2) as [-> | _]; auto.
    replace (exp (D 2%nat)) with (exp ((INR 2 - 1) * D 2%nat)) at 2 by (f_equal; simpl; ring).
    apply Rmin_glb; auto. apply three_squares; auto.
Qed.
(** Wang, Balle and Kasiviswanathan 2019, Theorem 9: on a sample of m of n records, $\gamma=\frac mn$,
    $D_a\le\frac1{a-1}\ln\Bigl(1+\binom a2\gamma^2\min\{4(e^{D_2}-1),e^{D_2}m_2\}
    +\sum_{j=3}^a\binom aj\gamma^je^{(j-1)D_j}m_j\Bigr)$. *)
Theorem amplification_at_integer_orders {X O} (l : list O) m n a (M : list X -> O -> R) D pure :
  (0 < m <= n)%nat -> (2 <= a)%nat -> mechanism l M ->
  (forall s s', Permutation s s' -> forall o, M s o = M s' o) ->
  (forall j, (2 <= j <= a)%nat -> RDP replace_one l (INR j) (D j) M) ->
  match pure with None => True | Some eps => 0 <= eps /\ DP replace_one l eps 0 M end ->
  RDP (replace_one_of n) l (INR a) (ln (1 + sampled_total a (INR m / INR n) (gap_bound D pure)) / (INR a - 1))
      (sampled m M).
Proof. intros L A P U H E. apply (amplified_at_most l m n a M D pure); auto. intros; lra. Qed.

(** The sums at the orders 2, 3 and 4. *)
Lemma sampled_total_2 rate B : sampled_total 2 rate B = rate ^ 2 * B 2%nat.
Proof. unfold sampled_total, Binomial.C. simpl. field. Qed.
Lemma sampled_total_3 rate B : sampled_total 3 rate B = 3 * rate ^ 2 * B 2%nat + rate ^ 3 * B 3%nat.
Proof. unfold sampled_total, Binomial.C. simpl. field. Qed.
Lemma sampled_total_4 rate B : sampled_total 4 rate B
  = 6 * rate ^ 2 * B 2%nat + 4 * rate ^ 3 * B 3%nat + rate ^ 4 * B 4%nat.
Proof. unfold sampled_total, Binomial.C. simpl. field. Qed.
(** The smaller of two numbers is at most every number between them. *)
Lemma smaller_between m a b : 0 <= m <= 1 -> Rmin a b <= m * a + (1 - m) * b.
Proof. intros H. unfold Rmin. destruct (Rle_dec a b); nra. Qed.
