(** * Log-concave noise on the integers: a shift by more dominates a shift by less

    Sums over all integers are two series, one each way.  A mass p that is positive and log-concave on the integers has
    ratios p (z - j) / p z that rise with z, so that of all events the one with the largest gain against a shift is a
    half line, and half lines gain with the shift.  Hence an (epsilon, delta) that holds of a shift by k, in either order of
    the pair, holds of every shift by j <= k: [shift_dominates]. *)
From Coq Require Import Reals Lra Lia ZArith.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

(** ** Sums over the integers *)

Definition total (f : Z -> R) (v : R) : Prop := exists a b,
  is_series (fun n => f (Z.of_nat n)) a /\ is_series (fun n => f (- Z.of_nat n - 1)%Z) b /\ v = a + b.
Definition shifted (p : Z -> R) (j : nat) (z : Z) : R := p (z - Z.of_nat j)%Z.
Definition on (S : Z -> bool) (p : Z -> R) (z : Z) : R := if S z then p z else 0.
Definition close_over_integers (eps del : R) (p q : Z -> R) : Prop :=
  forall S P Q, total (on S p) P -> total (on S q) Q -> P <= exp eps * Q + del.
Definition log_concave_mass (p : Z -> R) : Prop :=
  (forall z, 0 < p z) /\ total p 1 /\ forall z, p (z - 1)%Z * p (z + 1)%Z <= p z * p z.

Lemma total_ext f g v : (forall z, f z = g z) -> total f v -> total g v.
Proof. intros E (a & b & A & B & V). exists a, b. repeat split; auto; eapply is_series_ext; eauto; intros; simpl; auto. Qed.
Lemma total_line f g c u v : total f u -> total g v -> total (fun z => f z + c * g z) (u + c * v).
Proof.
  intros (a & b & A & B & ->) (a' & b' & A' & B' & ->). exists (a + c * a'), (b + c * b'). repeat split. 3: ring.
  - exact (is_series_plus _ _ _ _ A (is_series_scal c _ _ A')).
  - exact (is_series_plus _ _ _ _ B (is_series_scal c _ _ B')).
Qed.
Lemma series_pos (f : nat -> R) a : (forall n, 0 <= f n) -> is_series f a -> 0 <= a.
Proof.
  intros P A. pose proof (is_series_scal 0 f a A) as Z. change (scal 0 a) with (0 * a) in Z. rewrite Rmult_0_l in Z.
  rewrite <- (is_series_unique _ _ Z), <- (is_series_unique _ _ A). apply Series_le. 2: now exists a.
  intros n. change (scal 0 (f n)) with (0 * f n). specialize (P n). lra.
Qed.
Lemma total_pos f v : (forall z, 0 <= f z) -> total f v -> 0 <= v.
Proof. intros P (a & b & A & B & ->). apply series_pos in A; auto. apply series_pos in B; auto. lra. Qed.
Lemma total_le f g u v : (forall z, f z <= g z) -> total f u -> total g v -> u <= v.
Proof.
  intros L F G. enough (0 <= v + -1 * u) by lra. apply (total_pos (fun z => g z + -1 * f z)). intros z. specialize (L z). lra.
  now apply total_line.
Qed.
Lemma total_on S p v : (forall z, 0 <= p z) -> total p v -> exists P, total (on S p) P.
Proof.
  intros N (a & b & A & B & _).
  assert (E : forall h : nat -> Z, ex_series (fun n => p (h n)) -> ex_series (fun n => on S p (h n))).
  { intros h [l H]. apply (ex_series_le (V := R_CompleteNormedModule) _ (fun n => p (h n))). 2: now exists l.
    intros n. change (Rabs (on S p (h n)) <= p (h n)). unfold on. specialize (N (h n)). destruct (S (h n)); rewrite Rabs_pos_eq; lra. }
  destruct (E (fun n => Z.of_nat n) (ex_intro _ a A)) as [a' A']. destruct (E (fun n => (- Z.of_nat n - 1)%Z) (ex_intro _ b B)) as [b' B'].
  exists (a' + b'), a', b'. auto.
Qed.
Lemma total_shift f v : total f v -> total (fun z => f (z - 1)%Z) v.
Proof.
  intros (a & b & A & B & ->). exists (a + f (-1)%Z), (b - f (-1)%Z). repeat split. 3: ring.
  - apply (is_series_decr_1 (fun n => f (Z.of_nat n - 1)%Z)).
    change (is_series (fun n => f (Z.of_nat (S n) - 1)%Z) (a + f (-1)%Z + - f (-1)%Z)).
    assert (E : @eq R (a + f (-1)%Z + - f (-1)%Z) a) by ring. rewrite E. revert A. apply is_series_ext. intros n. f_equal. lia.
  - apply (is_series_ext (fun n => f (- Z.of_nat (S n) - 1)%Z)). intros n. f_equal. lia.
    apply (is_series_incr_1 (fun n => f (- Z.of_nat n - 1)%Z)).
    change (is_series (fun n => f (- Z.of_nat n - 1)%Z) (b - f (-1)%Z + f (-1)%Z)).
    assert (E : @eq R (b - f (-1)%Z + f (-1)%Z) b) by ring. now rewrite E.
Qed.
Lemma total_shifted f v j : total f v -> total (shifted f j) v.
Proof.
  intros H. induction j as [ | j IH].
  - revert H. apply total_ext. intros z. unfold shifted. f_equal. lia.
  - apply total_shift in IH. revert IH. apply total_ext. intros z. unfold shifted. f_equal. lia.
Qed.

(** ** The ratios rise *)

Section Noise.
  Variables (p : Z -> R) (eps : R).
  Hypothesis (noise : log_concave_mass p).
  Let pos z : 0 < p z. Proof. apply noise. Qed.
  Let one_step (n : nat) z : p (z - 1)%Z * p (z + Z.of_nat n)%Z <= p z * p (z + Z.of_nat n - 1)%Z.
  Proof.
    induction n as [ | n IH]. replace (z + Z.of_nat 0)%Z with z by lia. lra.
    set (w := (z + Z.of_nat n)%Z) in *. replace (z + Z.of_nat (S n))%Z with (w + 1)%Z by lia. replace (w + 1 - 1)%Z with w by lia.
    destruct noise as (_ & _ & C). specialize (C w). pose proof (pos w). pose proof (pos (w - 1)%Z). pose proof (pos (w + 1)%Z).
    pose proof (pos (z - 1)%Z). pose proof (pos z).
    apply (Rmult_le_reg_r (p w * p (w - 1)%Z)). nra.
    replace (p (z - 1)%Z * p (w + 1)%Z * (p w * p (w - 1)%Z)) with (p (z - 1)%Z * p w * (p (w - 1)%Z * p (w + 1)%Z)) by ring.
    replace (p z * p w * (p w * p (w - 1)%Z)) with (p z * p (w - 1)%Z * (p w * p w)) by ring.
    apply Rmult_le_compat; nra.
  Qed.
  Let rises z w j : (z <= w)%Z -> shifted p j z * p w <= p z * shifted p j w.
  Proof.
    intros L. unfold shifted. induction j as [ | j IH]. replace (z - Z.of_nat 0)%Z with z by lia. replace (w - Z.of_nat 0)%Z with w by lia. lra.
    set (y := (z - Z.of_nat j)%Z) in *. set (v := (w - Z.of_nat j)%Z) in *.
    replace (z - Z.of_nat (S j))%Z with (y - 1)%Z by lia. replace (w - Z.of_nat (S j))%Z with (v - 1)%Z by lia.
    pose proof (one_step (Z.to_nat (w - z)) y) as H. replace (y + Z.of_nat (Z.to_nat (w - z)))%Z with v in H by lia.
    pose proof (pos w). pose proof (pos z). pose proof (pos y). pose proof (pos v). pose proof (pos (y - 1)%Z). pose proof (pos (v - 1)%Z).
    apply (Rmult_le_reg_r (p y * p v)). nra.
    replace (p (y - 1)%Z * p w * (p y * p v)) with (p (y - 1)%Z * p v * (p y * p w)) by ring.
    replace (p z * p (v - 1)%Z * (p y * p v)) with (p y * p (v - 1)%Z * (p z * p v)) by ring.
    apply Rmult_le_compat; nra.
  Qed.
  (** Where the privacy loss is above eps, in one order of the pair and in the other. *)
  Let up j z : bool := if Rlt_dec (exp eps * p z) (shifted p j z) then true else false.
  Let down j z : bool := if Rlt_dec (exp eps * shifted p j z) (p z) then true else false.
  Let up_rises j z w : (z <= w)%Z -> up j z = true -> up j w = true.
  Proof.
    intros L. unfold up. destruct (Rlt_dec _ _) as [h | h]; try discriminate. intros _. destruct (Rlt_dec _ _) as [k | k]; auto.
    exfalso. apply k. pose proof (rises z w j L). pose proof (pos z). pose proof (pos w). apply (Rmult_lt_reg_l (p z)); auto. nra.
  Qed.
  Let down_falls j z w : (z <= w)%Z -> down j w = true -> down j z = true.
  Proof.
    intros L. unfold down. destruct (Rlt_dec _ _) as [h | h]; try discriminate. intros _. destruct (Rlt_dec _ _) as [k | k]; auto.
    exfalso. apply k. pose proof (rises z w j L). pose proof (pos w). pose proof (exp_pos eps). apply (Rmult_lt_reg_r (p w)); auto.
    apply Rle_lt_trans with (p z * (exp eps * shifted p j w)). nra. pose proof (pos z). nra.
  Qed.
  (** An event of a shifted mass is the event moved back, of the mass. *)
  Let moved j S P : total (on S (shifted p j)) P -> forall k Q, (forall z, S z = true -> S (z + Z.of_nat k - Z.of_nat j)%Z = true) ->
    total (on S (shifted p k)) Q -> P <= Q.
  Proof.
    intros A k Q M B. destruct (total_on (fun z => S (z + Z.of_nat k)%Z) p 1) as [V HV]. intros; left; apply pos. apply noise.
    destruct (total_on (fun z => S (z + Z.of_nat j)%Z) p 1) as [U HU]. intros; left; apply pos. apply noise.
    assert (F : forall i R T, total (on S (shifted p i)) R -> total (on (fun z => S (z + Z.of_nat i)%Z) p) T -> R = T).
    { intros i R T HR HT. apply (total_shifted _ _ i) in HT.
      apply Rle_antisym; [apply (total_le _ _ _ _) with (2 := HR) (3 := HT) | apply (total_le _ _ _ _) with (2 := HT) (3 := HR)];
        intros z; right; unfold on, shifted; replace (z - Z.of_nat i + Z.of_nat i)%Z with z by lia; reflexivity. }
    rewrite (F j P U A HU), (F k Q V B HV). refine (total_le _ _ _ _ _ HU HV). intros z. unfold on.
    destruct (S (z + Z.of_nat j)%Z) eqn:E. 2: destruct (S (z + Z.of_nat k)%Z); pose proof (pos z); lra.
    apply M in E. replace (z + Z.of_nat j + Z.of_nat k - Z.of_nat j)%Z with (z + Z.of_nat k)%Z in E by lia. rewrite E. lra.
  Qed.
  Let gain S T (f g : Z -> R) P Q P' Q' : (forall z, on S f z - exp eps * on S g z <= on T f z - exp eps * on T g z) ->
    total (on S f) P -> total (on S g) Q -> total (on T f) P' -> total (on T g) Q' -> P - exp eps * Q <= P' - exp eps * Q'.
  Proof.
    intros H A B A' B'. enough (P + - exp eps * Q <= P' + - exp eps * Q') by lra.
    refine (total_le _ _ _ _ _ (total_line _ _ (- exp eps) _ _ A B) (total_line _ _ (- exp eps) _ _ A' B')).
    intros z. specialize (H z). lra.
  Qed.
  Theorem shift_dominates del j k : (j <= k)%nat ->
    (close_over_integers eps del (shifted p k) p -> close_over_integers eps del (shifted p j) p) /\
    (close_over_integers eps del p (shifted p k) -> close_over_integers eps del p (shifted p j)).
  Proof.
    intros L. assert (E : forall T i, exists P, total (on T (shifted p i)) P).
    { intros T i. apply (total_on T _ 1). intros; left; apply pos. apply total_shifted, noise. }
    assert (E0 : forall T, exists P, total (on T p) P).
    { intros T. apply (total_on T _ 1). intros; left; apply pos. apply noise. }
    split; intros H S P Q A B.
    - destruct (E (up j) j) as [P' A'], (E (up j) k) as [P2 A2], (E0 (up j)) as [Q' B'].
      pose proof (gain S (up j) (shifted p j) p P Q P' Q') as G. specialize (H _ _ _ A2 B').
      assert (P' <= P2). { refine (moved _ _ _ A' _ _ _ A2). intros z Z. apply (up_rises j z); auto. lia. }
      enough (P - exp eps * Q <= P' - exp eps * Q') by lra. apply G; auto. intros z. unfold on, up.
      destruct (S z), (Rlt_dec _ _); lra.
    - destruct (E (down j) j) as [P' A'], (E (down j) k) as [P2 A2], (E0 (down j)) as [Q' B'].
      pose proof (gain S (down j) p (shifted p j) P Q Q' P') as G. specialize (H _ _ _ B' A2).
      assert (K : P2 <= P'). { refine (moved _ _ _ A2 _ _ _ A'). intros z Z. apply (down_falls j _ z); auto. lia. }
      pose proof (exp_pos eps). assert (exp eps * P2 <= exp eps * P') by (apply Rmult_le_compat_l; lra).
      enough (P - exp eps * Q <= Q' - exp eps * P') by lra. apply G; auto. intros z. unfold on, down.
      destruct (S z), (Rlt_dec _ _); lra.
  Qed.
End Noise.
