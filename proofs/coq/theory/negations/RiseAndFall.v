(** * Integrals of functions that rise and fall

    A function that rises up to a point (the peak) and falls from there on is integrable on intervals, continuous or
    not, and so is its product with a bounded integrable function; below a multiple of a normal density it has an
    integral over the line.  In n coordinates: what rises and falls in each coordinate and lies below a multiple of
    independent normal densities has an iterated integral [total].  The probabilities of algorithms whose noise depends
    on what was drawn before, or has no closed form, are such integrals. *)
From Coq Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From Dpref Require Import Improper Density Erfc Gaussian LogConcave Vectors.
Import ListNotations.
Open Scope R_scope.

(** ** Monotone functions, by steps *)

Definition level (f : R -> R) (t x : R) : bool := if Rle_dec t (f x) then true else false.
Section Steps.
  Variables (f p : R -> R) (C : R).
  Hypothesis (range : forall x, 0 <= f x <= 1) (rises : forall x y, x <= y -> f x <= f y).
  Hypothesis (integrable : integrable_on_intervals p) (bounded : forall x, Rabs (p x) <= C).
  (** d times the number of levels d, 2 d, ..., m d up to f. *)
  Fixpoint steps (d : R) (m : nat) (x : R) : R :=
    match m with O => 0 | S m => steps d m x + restricted (level f (INR (S m) * d)) p x * d end.
  Lemma steps_integrable d m : integrable_on_intervals (steps d m).
  Proof.
    intros a b. induction m as [ | m IH].
    - apply (ex_RInt_ext (fun _ => 0)). reflexivity. apply ex_RInt_const.
    - assert (H : ex_RInt (restricted (level f (INR (S m) * d)) p) a b).
      { apply half_line_integrable; auto. apply upward_half_line. intros x y L. unfold level.
        destruct (Rle_dec _ (f x)), (Rle_dec _ (f y)); auto. pose proof (rises x y L). lra. }
      apply (ex_RInt_ext (fun x => plus (steps d m x) (scal d (restricted (level f (INR (S m) * d)) p x)))).
      + intros x _. unfold plus, scal; simpl; unfold mult; simpl. ring.
      + apply (ex_RInt_plus (V := R_NormedModule)); auto. now apply (ex_RInt_scal (V := R_NormedModule)).
  Qed.
  Lemma steps_near d m x : 0 < d -> exists c, steps d m x = c * p x /\
    (INR m * d <= f x -> c = INR m * d) /\ (f x < INR m * d -> f x - d <= c <= f x).
  Proof.
    intros D. induction m as [ | m (c & E & H1 & H2)].
    - exists 0. simpl. pose proof (range x). split; [ring | split; lra].
    - rewrite S_INR in *. change (steps d (S m) x) with (steps d m x + restricted (level f (INR (S m) * d)) p x * d).
      rewrite E, S_INR. unfold restricted, level. destruct (Rle_dec _ (f x)) as [h | h].
      + exists (c + d). split. ring. split; lra.
      + exists c. split. ring. destruct (Rle_dec (INR m * d) (f x)); split; lra.
  Qed.
  Lemma monotone_integrable : integrable_on_intervals (fun x => f x * p x).
  Proof.
    intros a b.
    assert (B : 0 <= C) by (pose proof (bounded 0); pose proof (Rabs_pos (p 0)); lra).
    destruct (filterlim_RInt (fun n : nat => steps (/ INR (S n)) (S n)) a b eventually _ (fun x => f x * p x)
      (fun n => RInt (steps (/ INR (S n)) (S n)) a b)) as (l & _ & H).
    - intros n. apply (RInt_correct (V := R_CompleteNormedModule)). apply steps_integrable.
    - apply filterlim_locally. intros e. destruct (nfloor_ex (C / e)) as (N & _ & HN).
      { apply Rdiv_le_0_compat; auto. apply cond_pos. }
      exists N. intros n L x. assert (I : 0 < INR (S n)) by apply lt_0_INR, Nat.lt_0_succ.
      destruct (steps_near (/ INR (S n)) (S n) x (Rinv_0_lt_compat _ I)) as (c & -> & H1 & H2).
      assert (one : INR (S n) * / INR (S n) = 1) by (field; lra). rewrite one in *.
      assert (near : Rabs (c - f x) <= / INR (S n)).
      { specialize (range x). pose proof (Rinv_0_lt_compat _ I). destruct (Rle_dec 1 (f x)) as [h | h].
        rewrite (H1 h). apply Rabs_le. lra. apply Rabs_le. specialize (H2 ltac:(lra)). lra. }
      change (Rabs (c * p x - f x * p x) < e). rewrite <- Rmult_minus_distr_r, Rabs_mult.
      apply Rle_lt_trans with (/ INR (S n) * C). apply Rmult_le_compat; auto; apply Rabs_pos.
      apply (Rmult_lt_reg_l (INR (S n))); auto. rewrite <- Rmult_assoc, one, Rmult_1_l.
      assert (E : 0 < e) by apply cond_pos. apply (Rmult_lt_compat_r e) in HN; auto.
      replace (C / e * e) with C in HN by (field; lra). apply Rlt_le_trans with (1 := HN). apply Rmult_le_compat_r. lra.
      rewrite S_INR. apply le_INR in L. lra.
    - now exists l.
  Qed.
End Steps.

(** ** A peak *)

Definition peaked (mu : R) (f : R -> R) : Prop :=
  (forall x y, x <= y <= mu -> f x <= f y) /\ (forall x y, mu <= x <= y -> f y <= f x).
Lemma peaked_integrable mu f p C : (forall x, 0 <= f x <= 1) -> peaked mu f -> integrable_on_intervals p ->
  (forall x, Rabs (p x) <= C) -> integrable_on_intervals (fun x => f x * p x).
Proof.
  intros F [U D] P B.
  pose proof (monotone_integrable (fun x => f (Rmin x mu)) p C (fun x => F _)
    (fun x y L => U _ _ (conj (Rle_min_compat_r _ _ mu L) (Rmin_r _ _))) P B) as H1.
  assert (R1 : forall x y, x <= y -> 1 - f (Rmax x mu) <= 1 - f (Rmax y mu)).
  { intros x y L. pose proof (D _ _ (conj (Rmax_r x mu) (Rle_max_compat_r _ _ mu L))). lra. }
  assert (R2 : forall x, 0 <= 1 - f (Rmax x mu) <= 1) by (intros x; specialize (F (Rmax x mu)); lra).
  pose proof (monotone_integrable (fun x => 1 - f (Rmax x mu)) p C R2 R1 P B) as H2.
  assert (L : forall a b, a <= b <= mu -> ex_RInt (fun x => f x * p x) a b).
  { intros a b O. apply (ex_RInt_ext (fun x => f (Rmin x mu) * p x)). 2: apply H1.
    intros x. rewrite Rmin_left, Rmax_right by lra. intros X. now rewrite (Rmin_left x mu) by lra. }
  assert (M : forall a b, mu <= a <= b -> ex_RInt (fun x => f x * p x) a b).
  { intros a b O. apply (ex_RInt_ext (fun x => minus (p x) ((1 - f (Rmax x mu)) * p x))).
    - intros x. rewrite Rmin_left, Rmax_right by lra. intros X. rewrite (Rmax_left x mu) by lra.
      unfold minus, plus, opp; simpl. ring.
    - apply (ex_RInt_minus (V := R_NormedModule)). apply P. apply H2. }
  assert (W : forall a b, a <= b -> ex_RInt (fun x => f x * p x) a b).
  { intros a b O. destruct (Rle_dec b mu). apply L; lra. destruct (Rle_dec mu a). apply M; lra.
    apply (ex_RInt_Chasles (V := R_NormedModule) _ a mu b). apply L; lra. apply M; lra. }
  intros a b. destruct (Rle_dec a b). now apply W. apply ex_RInt_swap, W. lra.
Qed.
Lemma normal_at_most mu s x : 0 < s -> normal mu s x <= normal mu s mu.
Proof.
  intros s0. unfold normal. apply Rmult_le_compat_r.
  - left. apply Rinv_0_lt_compat. apply Rmult_lt_0_compat; auto. apply sqrt_2PI_pos.
  - assert (Q : 0 < s * s) by now apply Rmult_lt_0_compat. pose proof (Rle_0_sqr (x - mu)) as K. unfold Rsqr in K.
    assert (0 <= (x - mu) * (x - mu) / (2 * (s * s))) by (apply Rdiv_le_0_compat; lra).
    replace ((mu - mu) * (mu - mu) / (2 * (s * s))) with 0 by (field; lra).
    destruct (Req_dec ((x - mu) * (x - mu) / (2 * (s * s))) 0) as [-> | N]. lra. left. apply exp_increasing. lra.
Qed.
(** Below a multiple of a normal density. *)
Lemma peaked_integral mu f s C : 0 < s -> 0 <= C -> peaked mu f -> (forall x, 0 <= f x <= C * normal 0 s x) ->
  integral f (RInt_gen f minus_infinity plus_infinity) /\ 0 <= RInt_gen f minus_infinity plus_infinity <= C.
Proof.
  intros s0 C0 P B.
  assert (I : integrable_on_intervals f).
  { set (M := C * normal 0 s 0 + 1). assert (M1 : forall x, 0 <= f x <= M - 1).
    { intros x. specialize (B x). pose proof (Rmult_le_compat_l C _ _ C0 (normal_at_most 0 s x s0)). unfold M. lra. }
    assert (M0 : 0 < M) by (specialize (M1 0); lra).
    assert (Q : forall x, 0 <= f x / M <= 1).
    { intros x. specialize (M1 x). split. apply Rdiv_le_0_compat; lra. apply (Rmult_le_reg_r M); auto.
      replace (f x / M * M) with (f x) by (field; lra). lra. }
    assert (PM : peaked mu (fun x => f x / M)).
    { pose proof (Rinv_0_lt_compat _ M0). destruct P as [U D].
      split; intros x y O; apply Rmult_le_compat_r; try lra; auto. }
    intros a b. apply (ex_RInt_ext (fun x => f x / M * M)). intros x _. match goal with |- ?l = ?r => change (@eq R l r) end. field. lra.
    apply (peaked_integrable mu (fun x => f x / M) (fun _ => M) M); auto.
    - intros u v. apply ex_RInt_const.
    - intros _. rewrite Rabs_pos_eq; lra. }
  pose proof (integral_scal _ C _ (normal_integral 0 s s0)) as N. rewrite Rmult_1_r in N.
  assert (NI : integrable_on_intervals (fun x => C * normal 0 s x)).
  { intros a b. apply (ex_RInt_scal (V := R_NormedModule) (normal 0 s)). now apply integrable_normal. }
  destruct (integral_dominated f (fun x => C * normal 0 s x) C I NI B N) as [l H].
  assert (E : RInt_gen f minus_infinity plus_infinity = l) by (apply is_RInt_gen_unique; exact H).
  rewrite E. split. exact H. split. apply (integral_pos f l); auto. intros x; apply B.
  apply (integral_le f (fun x => C * normal 0 s x)); auto. intros x; apply B.
Qed.

(** ** Several coordinates *)

Fixpoint total (n : nat) (f : list R -> R) : R :=
  match n with O => f [] | S n => RInt_gen (fun x => total n (fun v => f (x :: v))) minus_infinity plus_infinity end.
Fixpoint normals (s : R) (v : list R) : R := match v with [] => 1 | x :: v => normal 0 s x * normals s v end.
Definition peaked_in_each (mu : R) (n : nat) (f : list R -> R) : Prop :=
  forall u v, S (length u + length v) = n -> peaked mu (fun x => f (u ++ x :: v)).
Theorem total_correct mu s n : 0 < s -> forall f C, 0 <= C ->
  (forall v, length v = n -> 0 <= f v <= C * normals s v) -> peaked_in_each mu n f ->
  iterated n f (total n f) /\ 0 <= total n f <= C.
Proof.
  intros s0. induction n as [ | n IH]; intros f C C0 B P.
  - simpl. specialize (B [] eq_refl). simpl in B. split; lra.
  - assert (H : forall x, iterated n (fun v => f (x :: v)) (total n (fun v => f (x :: v))) /\
      0 <= total n (fun v => f (x :: v)) <= C * normal 0 s x).
    { intros x. pose proof (normal_positive 0 s x s0) as N. apply IH; auto. apply Rmult_le_pos; lra.
      intros v L. specialize (B (x :: v) (f_equal S L)). simpl in B. lra.
      intros u v L. apply (P (x :: u) v). simpl. lia. }
    destruct (peaked_integral mu (fun x => total n (fun v => f (x :: v))) s C s0 C0) as [I R0].
    + split; intros x y O; refine (iterated_le n _ _ _ _ _ (proj1 (H _)) (proj1 (H _))); intros v L;
        destruct (P [] v ltac:(simpl; lia)) as [U D]; [exact (U x y O) | exact (D x y O)].
    + intros x. apply H.
    + split. 2: exact R0. exists (fun x => total n (fun v => f (x :: v))). split. intros x; apply H. exact I.
Qed.

(** ** Half of an even function, and a change of scale *)

Definition positive_part (f : R -> R) : R -> R := restricted (fun x => if Rle_dec 0 x then true else false) f.
Lemma even_integral f l h : (forall x, f (- x) = f x) -> integral f l -> integral (positive_part f) h -> l = 2 * h.
Proof.
  intros E I H. pose proof (integral_reflect _ _ H) as K.
  set (spike := fun x => if Req_EM_T x 0 then f 0 else 0).
  assert (Z0 : integral spike (0 + 0)).
  { apply (integral_split _ 0).
    - apply (integral_below_ext 0 (fun _ => 0)). intros x X. unfold spike. destruct (Req_EM_T x 0); [lra | reflexivity].
      exact (@gen_zero _ _ _ _).
    - apply (integral_above_ext 0 (fun _ => 0)). intros x X. unfold spike. destruct (Req_EM_T x 0); [lra | reflexivity].
      exact (@gen_zero _ _ _ _). }
  pose proof (integral_plus _ _ _ _ I Z0) as Z. replace (l + (0 + 0)) with l in Z by ring.
  apply (integral_unique _ _ _ Z). replace (2 * h) with (h + h) by ring.
  refine (integral_ext _ _ _ _ (integral_plus _ _ _ _ H K)). intros x. unfold positive_part, restricted, spike.
  rewrite E. destruct (Rle_dec 0 x), (Rle_dec 0 (- x)), (Req_EM_T x 0); try lra. subst. lra.
Qed.
Theorem iterated_scale n u : 0 < u -> forall f l, iterated n f l ->
  iterated n (fun v => f (map (fun x => u * x) v)) (l / u ^ n).
Proof.
  intros U. induction n as [ | n IH]; intros f l H.
  - simpl in *. rewrite H. field.
  - destruct H as (g & G & H). exists (fun x => g (u * x + 0) * / u ^ n). split.
    + intros x. simpl. pose proof (IH _ _ (G (u * x + 0))) as K. rewrite Rplus_0_r in *. exact K.
    + pose proof (integral_scal _ (/ u ^ n) _ (integral_affine g u 0 l U H)) as K.
      replace (l / u ^ S n) with (/ u ^ n * (l / u)).
      refine (integral_ext _ _ _ _ K). intros x; ring. simpl. field. split. now apply pow_nonzero, Rgt_not_eq. lra.
Qed.
