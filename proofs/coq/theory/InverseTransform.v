(** * The inverse of the discrete Fourier transform is the conjugate one, divided by N

    Complex numbers are pairs of real ones.  The powers of an N-th root of unity other than 1 add up to zero, because
    2 sin (phi / 2) times a cosine or a sine of j phi is a difference of neighbours; two sums are exchanged. *)
From Coq Require Import Reals Lra Lia List.
From Dpref Require Import Finite.
Import ListNotations.
Open Scope R_scope.

(** The sum over 0, ..., N - 1. *)
Definition sum_to (N : nat) (f : nat -> R) : R := sum_over (seq 0 N) f.
(** The angle of j times k over N turns. *)
Definition angle (N j k : nat) : R := INR j * (2 * PI * INR k / INR N).
(** The sums of (a k + b k i) e^(- 2 pi i j k / N): real and imaginary part. *)
Definition transform_re (N : nat) (a b : nat -> R) (j : nat) : R :=
  sum_to N (fun k => a k * cos (angle N j k) + b k * sin (angle N j k)).
Definition transform_im (N : nat) (a b : nat -> R) (j : nat) : R :=
  sum_to N (fun k => b k * cos (angle N j k) - a k * sin (angle N j k)).
(** The same with the conjugate root, divided by N. *)
Definition inverse_re (N : nat) (c d : nat -> R) (m : nat) : R :=
  sum_to N (fun j => c j * cos (angle N j m) - d j * sin (angle N j m)) / INR N.
Definition inverse_im (N : nat) (c d : nat -> R) (m : nat) : R :=
  sum_to N (fun j => d j * cos (angle N j m) + c j * sin (angle N j m)) / INR N.

Lemma telescope (f : nat -> R) n : sum_to n (fun j => f (S j) - f j) = f n - f 0%nat.
Proof.
  unfold sum_to. induction n as [ | n IH]. simpl. ring. rewrite seq_S, sum_app, IH. simpl. ring.
Qed.
Lemma only_one (f : nat -> R) m n : (m < n)%nat -> sum_to n (fun k => if Nat.eqb k m then f k else 0) = f m.
Proof.
  intros H. assert (Z : forall l, ~ In m l -> sum_over l (fun k => if Nat.eqb k m then f k else 0) = 0).
  { intros l L. transitivity (sum_over l (fun _ => 0)). 2: apply sum_zero. apply sum_ext. intros k K.
    destruct (Nat.eqb_spec k m) as [-> | _]. easy. reflexivity. }
  unfold sum_to. replace n with (m + S (n - S m))%nat by lia. rewrite seq_app, sum_app. simpl. rewrite Nat.eqb_refl.
  rewrite !Z. ring. all: rewrite in_seq; lia.
Qed.
Lemma roots_add_up N d : (0 < d < N)%nat -> let phi := 2 * PI * INR d / INR N in
  sum_to N (fun j => cos (INR j * phi)) = 0 /\ sum_to N (fun j => sin (INR j * phi)) = 0.
Proof.
  intros H phi. pose proof PI_RGT_0 as P. assert (N0 : 0 < INR N) by (apply lt_0_INR; lia).
  assert (D : 0 < INR d < INR N) by (split; [apply lt_0_INR | apply lt_INR]; lia).
  assert (S : 0 < sin (phi / 2)).
  { apply sin_gt_0; unfold phi. apply Rmult_lt_0_compat. apply Rdiv_lt_0_compat; nra. lra.
    apply (Rmult_lt_reg_r (INR N)); auto. replace (2 * PI * INR d / INR N / 2 * INR N) with (PI * INR d) by (field; lra). nra. }
  assert (E : (INR N - 1 / 2) * phi = - (phi / 2) + 2 * INR d * PI) by (unfold phi; field; lra).
  assert (A : 2 * sin (phi / 2) * sum_to N (fun j => cos (INR j * phi)) = 0).
  { unfold sum_to. rewrite <- sum_scal. transitivity (sum_to N (fun j => sin ((INR (Datatypes.S j) - 1 / 2) * phi) - sin ((INR j - 1 / 2) * phi))).
    - apply sum_ext. intros j _. rewrite form4, S_INR. replace (((INR j + 1 - 1 / 2) * phi + (INR j - 1 / 2) * phi) / 2) with (INR j * phi) by field.
      replace (((INR j + 1 - 1 / 2) * phi - (INR j - 1 / 2) * phi) / 2) with (phi / 2) by field. ring.
    - rewrite (telescope (fun j => sin ((INR j - 1 / 2) * phi))), E, sin_period. simpl (INR 0).
      replace ((0 - 1 / 2) * phi) with (- (phi / 2)) by field. ring. }
  assert (B : 2 * sin (phi / 2) * sum_to N (fun j => sin (INR j * phi)) = 0).
  { unfold sum_to. rewrite <- sum_scal. transitivity (- sum_to N (fun j => cos ((INR (Datatypes.S j) - 1 / 2) * phi) - cos ((INR j - 1 / 2) * phi))).
    - unfold sum_to. replace (- sum_over (seq 0 N) (fun j => cos ((INR (Datatypes.S j) - 1 / 2) * phi) - cos ((INR j - 1 / 2) * phi)))
        with (-1 * sum_over (seq 0 N) (fun j => cos ((INR (Datatypes.S j) - 1 / 2) * phi) - cos ((INR j - 1 / 2) * phi))) by ring.
      rewrite <- sum_scal. apply sum_ext. intros j _. rewrite form2, S_INR.
      replace (((INR j + 1 - 1 / 2) * phi + (INR j - 1 / 2) * phi) / 2) with (INR j * phi) by field.
      replace (((INR j + 1 - 1 / 2) * phi - (INR j - 1 / 2) * phi) / 2) with (phi / 2) by field. ring.
    - rewrite (telescope (fun j => cos ((INR j - 1 / 2) * phi))), E, cos_period. simpl (INR 0).
      replace ((0 - 1 / 2) * phi) with (- (phi / 2)) by field. ring. }
  split; nra.
Qed.
(** Two frequencies share nothing unless they are one. *)
Lemma frequencies N k m : (k < N)%nat -> (m < N)%nat ->
  sum_to N (fun j => cos (angle N j k - angle N j m)) = (if Nat.eqb k m then INR N else 0) /\
  sum_to N (fun j => sin (angle N j k - angle N j m)) = 0.
Proof.
  intros K M. assert (N0 : INR N <> 0) by (apply not_0_INR; lia). unfold angle. destruct (Nat.eqb_spec k m) as [-> | D].
  - split. transitivity (sum_to N (fun _ => 1)). apply sum_ext. intros j _. rewrite Rminus_eq_0. apply cos_0.
    clear. unfold sum_to. induction N as [ | n IH]. reflexivity. rewrite seq_S, sum_app, IH, S_INR. simpl. ring.
    transitivity (sum_to N (fun _ => 0)). 2: apply sum_zero. apply sum_ext. intros j _. rewrite Rminus_eq_0. apply sin_0.
  - destruct (Nat.lt_ge_cases m k) as [L | L].
    + destruct (roots_add_up N (k - m) ltac:(lia)) as [A B]. rewrite minus_INR in A, B by lia.
      split; [rewrite <- A | rewrite <- B]; apply sum_ext; intros j _; f_equal; field; auto.
    + destruct (roots_add_up N (m - k) ltac:(lia)) as [A B]. rewrite minus_INR in A, B by lia. split.
      * rewrite <- A. apply sum_ext. intros j _. rewrite <- cos_neg. f_equal. field. auto.
      * transitivity (-1 * sum_to N (fun j => sin (INR j * (2 * PI * (INR m - INR k) / INR N)))). 2: rewrite B; ring.
        unfold sum_to. rewrite <- sum_scal. apply sum_ext. intros j _.
        replace (-1 * sin (INR j * (2 * PI * (INR m - INR k) / INR N))) with (- sin (INR j * (2 * PI * (INR m - INR k) / INR N))) by ring.
        rewrite <- sin_neg. f_equal. field. auto.
Qed.
Lemma one_frequency N (p q : nat -> R) m : (m < N)%nat ->
  sum_to N (fun j => sum_to N (fun k => p k * cos (angle N j k - angle N j m) + q k * sin (angle N j k - angle N j m))) / INR N = p m.
Proof.
  intros M. assert (N0 : INR N <> 0) by (apply not_0_INR; lia). unfold sum_to. rewrite sum_swap.
  transitivity (sum_to N (fun k => if Nat.eqb k m then INR N * p k else 0) / INR N).
  - unfold Rdiv. f_equal. apply sum_ext. intros k K. rewrite in_seq in K. rewrite sum_plus, !sum_scal.
    destruct (frequencies N k m ltac:(lia) M) as [A B]. unfold sum_to in A, B. rewrite A, B. destruct (Nat.eqb k m); ring.
  - rewrite (only_one (fun k => INR N * p k) m N M). field. auto.
Qed.
Theorem inverse_transform N (a b : nat -> R) m : (m < N)%nat ->
  inverse_re N (transform_re N a b) (transform_im N a b) m = a m /\
  inverse_im N (transform_re N a b) (transform_im N a b) m = b m.
Proof.
  intros M. split; unfold inverse_re, inverse_im, transform_re, transform_im.
  - rewrite <- (one_frequency N a b m M). unfold Rdiv. f_equal. apply sum_ext. intros j _. unfold sum_to.
    rewrite <- !sum_scal_r, <- sum_minus. apply sum_ext. intros k _. rewrite cos_minus, sin_minus. ring.
  - rewrite <- (one_frequency N b (fun k => - a k) m M). unfold Rdiv. f_equal. apply sum_ext. intros j _. unfold sum_to.
    rewrite <- !sum_scal_r, <- sum_plus. apply sum_ext. intros k _. rewrite cos_minus, sin_minus. ring.
Qed.
