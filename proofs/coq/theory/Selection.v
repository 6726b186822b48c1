(** * Private selection: the best of a random number of runs, by the generating function of that number

    The best of K runs of two distributions p and q on a finite list of ranked outcomes (BestOf.v); f is the generating
    function of K and has a positive derivative f'.  All that is asked of f' is how far it differs between two numbers
    that one run ties together: one minus what p and q give to one test with values in [0, 1].

    Proved here: a bound of the ratios of f' turns a bound of the ratios, and of the hockey-stick divergences, of one
      run
    into one of the best; a bound of f'(x)^a f'(x')^(1-a) turns the Renyi moment of one run into one of the best; what
    is apart by tau in one run is at most 1 - f(1 - tau) apart in the best (Papernot and Steinke 2022, Lemma 7 and the
    steps of Theorems 2 and 6, without integrals: a derivative along the tie that is broken by chance). *)
From Coquelicot Require Import Coquelicot.
From Dpref Require Import Finite Interaction Approximate Convexity Renyi BestOf.
Open Scope R_scope.

(** What can come out: nothing, or an outcome. *)
Definition some_or_none {O} (l : list O) : list (option O) := None :: map Some l.
(** Two numbers that one run ties together: $x=1-\sum_op(o)g(o)$ and $x'=1-\sum_oq(o)g(o)$ for a test g. *)
Definition tied {O} (l : list O) (p q : O -> R) x x' := exists g, (forall o, 0 <= g o <= 1)
  /\ x = 1 - sum_over l (fun o => p o * g o) /\ x' = 1 - sum_over l (fun o => q o * g o).

Lemma test_bounds {O} (l : list O) p g : distribution l p -> (forall o, 0 <= g o <= 1) ->
  0 <= sum_over l (fun o => p o * g o) <= 1.
Proof.
  intros [P S] T. split. apply sum_nonneg. intros o _. apply Rmult_le_pos; auto. apply T.
  rewrite <- S. apply sum_le. intros o _. pose proof (P o). pose proof (T o). nra.
Qed.
Lemma tied_bounds {O} (l : list O) p q x x' : distribution l p -> distribution l q -> tied l p q x x' ->
  0 <= x <= 1 /\ 0 <= x' <= 1.
Proof.
  intros P Q (g & T & -> & ->). pose proof (test_bounds l p g P T). pose proof (test_bounds l q g Q T). lra.
Qed.
(** $1-x'\le e^\varepsilon(1-x)+\delta$ *)
Lemma tied_close {O} (l : list O) p q eps del x x' : close l eps del q p -> tied l p q x x' ->
  1 - x' <= exp eps * (1 - x) + del.
Proof. intros C (g & T & -> & ->). pose proof (close_tests l eps del q p g C T). lra. Qed.

Section Selection.
  Context {O : Type} (rank : O -> nat) (l : list O) (w : nat -> R) (f df : R -> R).
  Hypothesis ranked : NoDup (map rank l).
  Hypothesis W : number_of_runs w.
  Hypothesis G : generates w f.
  Hypothesis Df : forall z, 0 <= z <= 1 -> is_derive f z (df z).
  Hypothesis positive : forall z, 0 <= z <= 1 -> 0 < df z.
  Variables p q : O -> R.
  Hypothesis P : distribution l p.
  Hypothesis Q : distribution l q.
  Let A := best_of rank w l p.
  Let B := best_of rank w l q.

  (** The place of an outcome among the others, where a tie with it is broken by chance. *)
  Lemma tied_at o t : In o l -> 0 <= t <= 1 ->
    tied l p q (worse rank l p (rank o) + t * p o) (worse rank l q (rank o) + t * q o).
  Proof.
    intros I T. exists (fun b => if Nat.ltb (rank o) (rank b) then 1 else if Nat.eqb (rank b) (rank o) then 1 - t else
      0).
    assert (E : forall s, sum_over l s = 1 -> worse rank l s (rank o) + t * s o = 1 - sum_over l (fun b => s b *
      (if Nat.ltb (rank o) (rank b) then 1 else if Nat.eqb (rank b) (rank o) then 1 - t else 0))).
    { intros s S. rewrite <- S at 1. rewrite <- (one_of_rank rank l ranked s o I) at 1. rewrite <- sum_minus.
      unfold worse. rewrite <- sum_scal, <- sum_plus. apply sum_ext. intros b _.
      destruct (Nat.ltb_spec (rank b) (rank o)), (Nat.ltb_spec (rank o) (rank b)), (Nat.eqb_spec (rank b) (rank o));
        try lia; ring. }
    split; [ | split; apply E; [apply P | apply Q]]. intros b. destruct (Nat.ltb _ _). lra. destruct (Nat.eqb _ _); lra.
  Qed.
  Lemma along s b t : 0 <= b + t * s <= 1 -> is_derive (fun t => f (b + t * s)) t (s * df (b + t * s)).
  Proof.
    intros H. apply (is_derive_comp f (fun t => b + t * s) t (df (b + t * s)) s). now apply Df.
    auto_derive; auto. ring.
  Qed.
  (** Masses of the best, by what their derivatives satisfy wherever the tie is broken. *)
  Lemma increments o c c' bound : In o l ->
    (forall x x', tied l p q x x' -> c * (p o * df x) - c' * (q o * df x') <= bound) ->
    c * A (Some o) - c' * B (Some o) <= bound.
  Proof.
    intros I H. unfold A, B. rewrite !(best_of_law rank l w f ranked G) by auto.
    set (b := worse rank l p (rank o)). set (b' := worse rank l q (rank o)).
    assert (U : forall t, 0 <= t <= 1 -> 0 <= b + t * p o <= 1 /\ 0 <= b' + t * q o <= 1).
    { intros t T. apply (tied_bounds l p q); auto. now apply tied_at. }
    assert (D : forall t, 0 <= t <= 1 -> is_derive (fun t => c * f (b + t * p o) - c' * f (b' + t * q o)) t
      (c * (p o * df (b + t * p o)) - c' * (q o * df (b' + t * q o)))).
    { intros t T. destruct (U t T) as [U1 U2].
      apply (is_derive_minus (fun t => c * f (b + t * p o)) (fun t => c' * f (b' + t * q o))); apply is_derive_scal; now
        apply along. }
    destruct (MVT_gen (fun t => c * f (b + t * p o) - c' * f (b' + t * q o)) 0 1
      (fun t => c * (p o * df (b + t * p o)) - c' * (q o * df (b' + t * q o)))) as (t & T & E).
    - intros t T. rewrite Rmin_left, Rmax_right in T by lra. apply D. lra.
    - intros t T. rewrite Rmin_left, Rmax_right in T by lra. eapply derive_continuous, D. lra.
    - rewrite Rmin_left, Rmax_right in T by lra. rewrite !Rmult_0_l, !Rplus_0_r, !Rmult_1_l in E.
      pose proof (H _ _ (tied_at o t I T)) as K. fold b b' in K. lra.
  Qed.
  Lemma best_nonneg s o : distribution l s -> 0 <= best_of rank w l s o.
  Proof. intros S. apply (best_of_distribution rank l w f ranked W G s S). Qed.
  Lemma no_run_mass : A None = w 0%nat /\ B None = w 0%nat.
  Proof. split; apply best_of_none. Qed.

  (** $p\le e^\varepsilon q$ and $f'(x)\le e^sf'(x')$ give $P[\text{best}=o]\le e^{\varepsilon+s}Q[\text{best}=o]$. *)
  Theorem best_ratio eps s : 0 <= eps + s -> (forall o, In o l -> p o <= exp eps * q o) ->
    (forall x x', tied l p q x x' -> df x <= exp s * df x') -> close (some_or_none l) (eps + s) 0 A B.
  Proof.
    intros E R S. apply close_of_ratio. intros [o | ] I.
    - assert (J : In o l). { destruct I as [I | I]; [easy | ]. apply in_map_iff in I. now destruct I as (b & [= ->] &
      I). }
      enough (1 * A (Some o) - exp (eps + s) * B (Some o) <= 0) by lra. apply increments; auto. intros x x' T.
      destruct (tied_bounds l p q x x' P Q T) as [X X']. specialize (S x x' T). specialize (R o J).
      pose proof (positive x X). pose proof (proj1 P o). rewrite exp_plus. pose proof (exp_pos eps).
      enough (p o * df x <= exp eps * q o * (exp s * df x')) by lra. apply Rmult_le_compat; lra.
    - destruct no_run_mass as [-> ->]. pose proof (exp_mono 0 _ E). rewrite exp_0 in H. pose proof (proj1 W 0%nat). nra.
  Qed.
  (** $H_{x+s}(\text{best})\le\mathbb EK\,H_x$ where $f'(x)\le e^sf'(x')$ and $f'\le\mathbb EK$. *)
  Theorem best_hockey x s mean : 0 <= x + s -> (forall z, 0 <= z <= 1 -> df z <= mean) ->
    (forall y y', tied l p q y y' -> df y <= exp s * df y') ->
    hockey (some_or_none l) (x + s) A B <= mean * hockey l x p q.
  Proof.
    intros E M S. unfold hockey, some_or_none. cbn [sum_over]. rewrite sum_map, <- sum_scal.
    destruct no_run_mass as [-> ->]. rewrite Rmax_left.
    2: { pose proof (exp_mono 0 _ E). rewrite exp_0 in H. pose proof (proj1 W 0%nat). nra. }
    rewrite Rplus_0_l. apply sum_le. intros o I. set (r := Rmax 0 (p o - exp x * q o)).
    assert (R0 : 0 <= r) by apply Rmax_l. assert (R1 : p o - exp x * q o <= r) by apply Rmax_r.
    pose proof (positive 0 ltac:(lra)). pose proof (M 0 ltac:(lra)).
    apply Rmax_lub. apply Rmult_le_pos; lra. rewrite <- (Rmult_1_l (A (Some o))). apply increments; auto.
    intros y y' T. destruct (tied_bounds l p q y y' P Q T) as [Y Y']. specialize (S y y' T). specialize (M y Y).
    pose proof (positive y Y). rewrite exp_plus. pose proof (exp_pos x). pose proof (proj1 Q o).
    assert (0 <= exp x * q o) by (apply Rmult_le_pos; lra).
    apply Rle_trans with (r * df y). 2: rewrite (Rmult_comm mean); apply Rmult_le_compat_l; lra.
    apply Rle_trans with ((p o - exp x * q o) * df y). 2: apply Rmult_le_compat_r; lra.
    enough (exp x * q o * df y <= exp x * q o * (exp s * df y')) by lra. apply Rmult_le_compat_l; lra.
  Qed.
  Lemma best_supported : supported l p q -> supported (some_or_none l) A B.
  Proof.
    intros S [o | ] I H.
    - assert (J : In o l). { destruct I as [I | I]; [easy | ]. apply in_map_iff in I. now destruct I as (b & [= ->] &
      I). }
      assert (P0 : 0 < p o).
      { destruct (proj1 P o) as [V | V]; auto. exfalso. enough (1 * A (Some o) - 0 * B (Some o) <= 0) by lra.
        apply increments; auto. intros x x' _. rewrite <- V. lra. }
      specialize (S o J P0). destruct (best_nonneg q (Some o) Q) as [V | V]; auto. exfalso. fold B in V.
      (* otherwise f' would vanish where the tie is broken *)
      pose proof (fun c => increments o 0 1 c J) as K. rewrite <- V in K.
      assert (C : forall t, 0 <= t <= 1 -> 0 < q o * df (worse rank l q (rank o) + t * q o)).
      { intros t T. apply Rmult_lt_0_compat; auto. apply positive. now apply (tied_bounds l p q _ _ P Q (tied_at o t J
        T)). }
      unfold B in V. rewrite (best_of_law rank l w f ranked G q o Q J) in V.
      set (b := worse rank l q (rank o)) in *.
      destruct (MVT_gen (fun t => f (b + t * q o)) 0 1 (fun t => q o * df (b + t * q o))) as (t & T & E).
      + intros t T. rewrite Rmin_left, Rmax_right in T by lra. apply along.
        apply (tied_bounds l p q _ _ P Q (tied_at o t J ltac:(lra))).
      + intros t T. rewrite Rmin_left, Rmax_right in T by lra. eapply derive_continuous, along.
        apply (tied_bounds l p q _ _ P Q (tied_at o t J T)).
      + rewrite Rmin_left, Rmax_right in T by lra. specialize (C t T).
        rewrite Rmult_0_l, Rplus_0_r, Rmult_1_l in E. lra.
    - destruct no_run_mass as [E1 E2]. rewrite E1 in H. now rewrite E2.
  Qed.
  (** $\sum A^aB^{1-a}\le w_0+K\sum p^aq^{1-a}$ where $f'(x)^af'(x')^{1-a}\le K$. *)
  Theorem best_moment a K : 1 < a -> supported l p q ->
    (forall x x', tied l p q x x' -> df x * Rpower (df x / df x') (a - 1) <= K) ->
    moment (some_or_none l) a A B <= w 0%nat + K * moment l a p q.
  Proof.
    intros A1 S H. pose proof (best_supported S) as SB. unfold moment, some_or_none. cbn [sum_over].
    rewrite sum_map, <- sum_scal. apply Rplus_le_compat.
    - destruct no_run_mass as [-> ->]. destruct (proj1 W 0%nat) as [V | <-]; [ | lra].
      unfold Rdiv. rewrite Rinv_r by lra. unfold Rpower. rewrite ln_1, Rmult_0_r, exp_0. lra.
    - apply sum_le. intros o I. destruct (best_nonneg p (Some o) P) as [V | V]; fold A in V.
      2: { rewrite <- V, Rmult_0_l. assert (T : 0 <= 0 <= 1) by lra. pose proof (H _ _ (tied_at o 0 I T)) as K0.
           destruct (tied_bounds l p q _ _ P Q (tied_at o 0 I T)) as [X _]. pose proof (positive _ X).
           apply Rmult_le_pos. eapply Rle_trans. 2: apply K0. apply Rmult_le_pos. lra. left; apply exp_pos.
           apply Rmult_le_pos. apply P. left; apply exp_pos. }
      assert (J : In (Some o) (some_or_none l)) by (right; now apply in_map). pose proof (SB _ J V) as V'.
      set (r := A (Some o) / B (Some o)). assert (R0 : 0 < r) by (now apply Rdiv_lt_0_compat).
      apply Rle_trans with (Rpower r (a - 1) * a * A (Some o) - Rpower r (a - 1) * (a - 1) * r * B (Some o)).
      { right. replace (Rpower r (a - 1) * (a - 1) * r * B (Some o)) with (Rpower r (a - 1) * (a - 1) * A (Some o))
          by (unfold r; field; lra). ring. }
      apply increments; auto. intros x x' T. destruct (tied_bounds l p q x x' P Q T) as [X X'].
      pose proof (positive x X) as X0. pose proof (positive x' X') as X0'. specialize (H x x' T).
      pose proof (moment_tangent a r (p o * df x) (q o * df x') ltac:(lra) R0) as K1.
      assert (K2 : 0 <= p o * df x) by (apply Rmult_le_pos; [apply P | lra]).
      assert (K3 : 0 <= q o * df x') by (apply Rmult_le_pos; [apply Q | lra]). specialize (K1 K2 K3).
      destruct (proj1 P o) as [P0 | P0].
      + pose proof (S o I P0) as Q0. specialize (K1 (fun _ => Rmult_lt_0_compat _ _ Q0 X0')).
        replace (p o * df x / (q o * df x')) with (p o / q o * (df x / df x')) in K1 by (field; lra).
        rewrite <- Rpower_mult_distr in K1 by (apply Rdiv_lt_0_compat; auto).
        assert (Z : 0 <= p o * Rpower (p o / q o) (a - 1)) by (apply Rmult_le_pos; [lra | left; apply exp_pos]).
        apply (Rmult_le_compat_l _ _ _ Z) in H. lra.
      + rewrite <- P0 in *. rewrite !Rmult_0_l in *. rewrite Rmult_0_r. specialize (K1 ltac:(lra)). lra.
  Qed.
End Selection.
