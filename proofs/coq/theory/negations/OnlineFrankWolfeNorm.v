(** * Private online Frank-Wolfe: Theorem 3.1 with the norm and the constant of Lemma 3.2

    Neighbours differ in one record (replace-one); parameters are vectors of d real numbers.
    Lemma 3.2 prints, for the dual norm l_q, q >= 2: it is regular with kappa = min (q - 1, e^2 (ln d - 1)) and the norm
    l_r, r = min (q - 1, ln d - 1).  Theorem 3.1 with that lemma [theorem_3_1_with_lemma_3_2]: DP-TOFW whose noise has a
    density proportional to exp (- |z|_r^2 / (2 sigma_+^2)), sigma_+ of Eq. (3.2), is (epsilon, delta)-private; here for
    epsilon at most 1, so that what Lemma 2.1 lacks at large epsilon (OnlineFrankWolfe.v) is not what fails.
    Refuted at d = 3, where r = ln 3 - 1 is below 1: |(1, 1, 1)|_r is 3^(1/r) > 60,000, so that noise hardly reaches
    along the diagonal.  The event: the first published iterate is negative in every coordinate. *)
From Coq Require Import Reals Lra Lia List Arith.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
From Dpref Require Import Improper Density Erfc Gaussian Vectors.
From Dpref Require Finite Norms.
From Dpref.negations Require Import Laws HalfLines Criteria Losses RiseAndFall NormNoise OnlineFrankWolfe.
Import ListNotations.
Open Scope R_scope.

(** ** Vectors *)

(** a v + b w, and the inner product; the norm l_r of a list of coordinates is [NormNoise.lr]. *)
Fixpoint lin (a : R) (v : list R) (b : R) (w : list R) : list R :=
  match v, w with x :: v, y :: w => a * x + b * y :: lin a v b w | _, _ => [] end.
Fixpoint dot (v w : list R) : R := match v, w with x :: v, y :: w => x * y + dot v w | _, _ => 0 end.

(** ** Algorithm 1 and the statement *)

(** Lemma 3.2. *)
Definition printed_kappa (q : R) (d : nat) : R := Rmin (q - 1) (exp 2 * (ln (INR d) - 1)).
Definition printed_index (q : R) (d : nat) : R := Rmin (q - 1) (ln (INR d) - 1).
(** Eq. (3.2), with the regularity constant kappa. *)
Definition sigma_plus (kappa beta D L : R) (n : nat) (eps del : R) : R :=
  sqrt (8 * (path_length n * path_length n) * kappa * ln (path_length n / del) * ((beta * D + L) * (beta * D + L)) / (eps * eps)).
Definition noise_density (d : nat) (r sigma : R) (p : list R -> R) : Prop :=
  vector_density d p /\ exists c, forall v, length v = d -> p v = c * exp (- (lr r v * lr r v / (2 * (sigma * sigma)))).
Definition with_density (d : nat) (p : list R -> R) : law (list R) := fun f v => iterated d (fun z => f z * p z) v.
(** The first round from theta_0 = theta_1: g_1 = 2 f'(theta_1; x_1) - f'(theta_0; x_1), the first node of the tree,
    d_1 = node / 2, v_1 a minimiser of <d_1, v>, and theta_2 = theta_1 + (v_1 - theta_1) / 2. *)
Definition first_vector {X} (g : X -> list R -> list R) (minimiser : list R -> list R) (d : nat) (p : list R -> R)
    (theta : list R) (stream : list X) : law (list R) :=
  noise <- with_density d p;
  let g1 := match stream with [] => repeat 0 d | z :: _ => lin 2 (g z theta) (- 1) (g z theta) end in
  let d1 := lin (1 / 2) g1 (1 / 2) noise in
  point (lin (1 / 2) theta (1 / 2) (minimiser d1)).
Section Hypotheses.
  Context {X : Type}.
  Variables (d : nat) (C : list R -> Prop) (f : X -> list R -> R) (g : X -> list R -> list R) (minimiser : list R -> list R).
  (** A convex set of diameter D, and a linear minimisation oracle of it. *)
  Definition convex_set : Prop := (forall x, C x -> length x = d) /\
    forall x y t, C x -> C y -> 0 <= t <= 1 -> C (lin t x (1 - t) y).
  Definition diameter (p D : R) : Prop := forall x y, C x -> C y -> lr p (lin 1 x (- 1) y) <= D.
  Definition minimises_linear : Prop := forall c, length c = d ->
    C (minimiser c) /\ forall v, C v -> dot c (minimiser c) <= dot c v.
  (** Convex losses with gradients that are at most L and Lipschitz, in the dual norm. *)
  Definition gradients : Prop := forall z x v, length x = d -> length v = d ->
    length (g z x) = d /\ is_derive (fun t => f z (lin 1 x t v)) 0 (dot (g z x) v).
  Definition convex_losses : Prop := forall z x y t, length x = d -> length y = d -> 0 <= t <= 1 ->
    f z (lin t x (1 - t) y) <= t * f z x + (1 - t) * f z y.
  Definition gradients_bounded (q L : R) : Prop := forall z x, length x = d -> lr q (g z x) <= L.
  Definition gradients_lipschitz (p q beta : R) : Prop := forall z x y, length x = d -> length y = d ->
    lr q (lin 1 (g z x) (- 1) (g z y)) <= beta * lr p (lin 1 x (- 1) y).
End Hypotheses.
(** What Theorem 3.1 with Lemma 3.2 says of the first published iterate, a part of the output. *)
Definition theorem_3_1_with_lemma_3_2 : Prop :=
  forall (X : Type) d C (f : X -> list R -> R) g minimiser p q beta D L n theta eps del density,
  (3 <= d)%nat -> 2 <= q -> p = q / (q - 1) -> convex_set d C -> C theta -> diameter C p D -> minimises_linear d C minimiser ->
  gradients d f g -> convex_losses d f -> gradients_bounded d g q L -> gradients_lipschitz d g p q beta ->
  0 < beta -> 0 < D -> 0 < L -> (1 <= n)%nat -> 0 < eps <= 1 -> 0 < del < 1 ->
  noise_density d (printed_index q d) (sigma_plus (printed_kappa q d) beta D L n eps del) density ->
  private (neighbours_of_size n) eps del (first_vector g minimiser d density theta).

(** ** The first iterate on the cube *)

Definition signs_loss (G : R) (s : bool) (x : list R) : R := sign s * G * fold_right Rplus 0 x.
Definition signs_gradient (n : nat) (G : R) (s : bool) (_ : list R) : list R := repeat (sign s * G) n.
Definition cube (n : nat) (x : list R) : Prop := length x = n /\ List.Forall (fun a => - 1 <= a <= 1) x.
Definition corner (c : list R) : list R := map (fun a => if Rle_dec 0 a then - 1 else 1) c.
Definition all_negative (x : list R) : bool := forallb (fun a => if Rlt_dec a 0 then true else false) x.
Section FirstIterate.
  Variables (r sigma G : R) (n : nat).
  Hypothesis (r0 : 0 < r) (sigma0 : 0 < sigma) (G0 : 0 < G) (n0 : (1 <= n)%nat).
  Lemma negative_if a v : length v = n ->
    all_negative (lin (1 / 2) (repeat 0 n) (1 / 2) (corner (lin (1 / 2) (lin 2 (repeat a n) (- 1) (repeat a n)) (1 / 2) v))) = forallb (above (- a)) v.
  Proof.
    intros <-. clear. induction v as [ | x v IH]. reflexivity. simpl. rewrite <- IH. unfold all_negative. simpl. f_equal.
    unfold above. destruct (Rle_dec 0 _), (Rle_dec (- a) x), (Rlt_dec _ 0); try reflexivity; lra.
  Qed.
  Lemma chance stream s rest : stream = s :: rest ->
    probability_is (first_vector (signs_gradient n G) corner n (noise r sigma n) (repeat 0 n) stream) all_negative
      (mass_above r sigma n (- (sign s * G)) / mass r sigma n).
  Proof.
    intros ->. pose proof (mass_positive r sigma n r0 sigma0 n0) as M.
    exists (fun v => indicator all_negative (lin (1 / 2) (repeat 0 n) (1 / 2)
      (corner (lin (1 / 2) (lin 2 (signs_gradient n G s (repeat 0 n)) (- 1) (signs_gradient n G s (repeat 0 n))) (1 / 2) v)))). split. reflexivity.
    pose proof (iterated_scal n (/ mass r sigma n) _ _ (mass_above_is r sigma n r0 sigma0 n0 (- (sign s * G)))) as I.
    replace (mass_above r sigma n (- (sign s * G)) / mass r sigma n) with (/ mass r sigma n * mass_above r sigma n (- (sign s * G))) by (field; lra).
    refine (iterated_ext n _ _ _ _ I). intros v L. unfold indicator, signs_gradient. rewrite negative_if by auto.
    unfold shape_above, vector_restricted, noise. destruct (forallb _ v); field; lra.
  Qed.
  Theorem diagonal_refutes records eps del : (1 <= records)%nat ->
    let diagonal := Rpower (INR n) (/ r) * G in
    exp eps * (2 ^ n * exp (- (3 * (diagonal * diagonal) / (8 * (sigma * sigma))))) + del < / 2 ^ n ->
    ~ private (neighbours_of_size records) eps del (first_vector (signs_gradient n G) corner n (noise r sigma n) (repeat 0 n)).
  Proof.
    intros N diagonal H. pose proof (mass_positive r sigma n r0 sigma0 n0) as M.
    assert (E : exists rest, all_plus records = true :: rest) by (destruct records; [lia | now exists (repeat true records)]).
    destruct E as (rest & E). pose proof (near_orthant r sigma G n r0 sigma0 G0 n0) as A.
    pose proof (beyond_diagonal r sigma G n r0 sigma0 G0 n0) as B. fold diagonal in B.
    set (e := exp (- (3 * (diagonal * diagonal) / (8 * (sigma * sigma))))) in *. assert (T : 0 < 2 ^ n) by (apply pow_lt; lra).
    refine (event_refutes _ eps del _ _ _ all_negative _ _ (witnesses records N) (chance _ true rest E) (chance _ false _ eq_refl) _).
    unfold sign. replace (- (1 * G)) with (- G) by ring. replace (- (-1 * G)) with G by ring.
    apply (Rmult_lt_reg_r (mass r sigma n)); auto.
    replace (mass_above r sigma n (- G) / mass r sigma n * mass r sigma n) with (mass_above r sigma n (- G)) by (field; lra).
    replace ((exp eps * (mass_above r sigma n G / mass r sigma n) + del) * mass r sigma n)
      with (exp eps * mass_above r sigma n G + del * mass r sigma n) by (field; lra).
    apply Rlt_le_trans with (/ 2 ^ n * mass r sigma n).
    - apply Rle_lt_trans with ((exp eps * (2 ^ n * e) + del) * mass r sigma n). 2: now apply Rmult_lt_compat_r.
      pose proof (exp_pos eps). apply (Rmult_le_compat_l (exp eps)) in B. lra. lra.
    - apply (Rmult_le_reg_l (2 ^ n)); auto. rewrite <- Rmult_assoc, Rinv_r by lra. lra.
  Qed.
End FirstIterate.

(** ** The hypotheses *)

Theorem noise_is_density r sigma n : 0 < r -> 0 < sigma -> (1 <= n)%nat -> noise_density n r sigma (noise r sigma n).
Proof.
  intros r0 sigma0 n0. pose proof (mass_positive r sigma n r0 sigma0 n0) as M. split. split.
  - intros v. apply Rdiv_le_0_compat; auto. left; apply exp_pos.
  - pose proof (iterated_scal n (/ mass r sigma n) _ _ (mass_is r sigma n r0 sigma0 n0)) as I. replace (/ mass r sigma n * mass r sigma n) with 1 in I by (field; lra). revert I.
    apply iterated_ext. intros v _. unfold noise. field. lra.
  - exists (/ mass r sigma n). intros v _. unfold noise, shape. field. lra.
Qed.
Lemma sum_lin a v b w : length v = length w -> fold_right Rplus 0 (lin a v b w) = a * fold_right Rplus 0 v + b * fold_right Rplus 0 w.
Proof. revert w. induction v as [ | x v IH]; intros [ | y w] L; try discriminate; simpl. ring. rewrite IH by auto. ring. Qed.
Lemma dot_repeat a v : dot (repeat a (length v)) v = a * fold_right Rplus 0 v.
Proof. induction v; simpl. ring. rewrite IHv. ring. Qed.
Lemma signs_gradients n G : gradients n (signs_loss G) (signs_gradient n G).
Proof.
  intros s x v X V. split. apply repeat_length. unfold signs_gradient. rewrite <- V, dot_repeat.
  apply (is_derive_ext (fun t => sign s * G * (1 * fold_right Rplus 0 x + t * fold_right Rplus 0 v))).
  - intros t. unfold signs_loss. rewrite sum_lin; congruence.
  - auto_derive. auto. ring.
Qed.
Lemma signs_convex n G : convex_losses n (signs_loss G).
Proof. intros s x y t X Y _. unfold signs_loss. rewrite sum_lin by congruence. right. ring. Qed.
Lemma signs_bounded n q G : 0 < q -> 0 < G -> gradients_bounded n (signs_gradient n G) q (lr q (repeat G n)).
Proof.
  intros Q G0 s x _. apply lr_mono; auto. unfold signs_gradient. induction n; simpl; constructor; auto.
  rewrite (Rabs_pos_eq G) by lra. unfold sign. destruct s; [rewrite Rabs_pos_eq | rewrite Rabs_left]; lra.
Qed.
Lemma lr_zero q n : lr q (repeat 0 n) = 0.
Proof.
  assert (Z : Norms.power 0 q = 0) by (unfold Norms.power; destruct (Req_EM_T 0 0); lra).
  assert (E : Norms.power_sum (repeat 0 n) q (fun x => x) = 0).
  { unfold Norms.power_sum. induction n; simpl; auto. now rewrite IHn, Rabs_R0, Z, Rplus_0_r. }
  unfold lr, Norms.norm. rewrite E. unfold Norms.power. destruct (Req_EM_T 0 0); lra.
Qed.
Lemma signs_lipschitz n p q beta G : 0 <= beta -> gradients_lipschitz n (signs_gradient n G) p q beta.
Proof.
  intros B s x y _ _. unfold signs_gradient. replace (lin 1 (repeat (sign s * G) n) (- 1) (repeat (sign s * G) n)) with (repeat 0 n).
  rewrite lr_zero. apply Rmult_le_pos; auto. apply lr_nonneg. induction n; simpl; auto. f_equal; auto. ring.
Qed.
Lemma cube_convex n : convex_set n (cube n).
Proof.
  split. now intros x []. intros x y t [<- X] [L Y] T. split.
  - clear X Y T. revert y L. induction x; intros [ | b y] L; try discriminate; simpl; auto.
  - revert y L Y. induction X as [ | a x A X IH]; intros [ | b y] L Y; try discriminate; simpl; constructor; inversion Y; subst; auto. nra.
Qed.
Lemma cube_diameter n p : 0 < p -> diameter (cube n) p (lr p (repeat 2 n)).
Proof.
  intros P x y [<- X] [L Y]. apply lr_mono; auto. revert y L Y. induction X as [ | a x A X IH]; intros [ | b y] L Y; try discriminate; simpl; constructor; inversion Y; subst; auto.
  rewrite (Rabs_pos_eq 2) by lra. apply Rabs_le. lra.
Qed.
Lemma corner_minimises n : minimises_linear n (cube n) corner.
Proof.
  intros c L. unfold corner. split. split. now rewrite map_length.
  - clear. induction c as [ | a c IH]; simpl; constructor; auto. destruct (Rle_dec 0 a); lra.
  - intros v [K V]. rewrite <- L in K. clear L. revert c K. induction V as [ | b v B V IH]; intros [ | a c] K; try discriminate; simpl. lra.
    specialize (IH c ltac:(simpl in K; lia)). destruct (Rle_dec 0 a); nra.
Qed.
Lemma zero_in_cube n : cube n (repeat 0 n).
Proof. split. apply repeat_length. induction n; simpl; constructor; auto. lra. Qed.

(** ** The refutation *)

(** At d = 3, p = 3/2, epsilon = 1 and delta = 1 / 1000, a stream of 1000 records; beta D = L. *)
Theorem lemma_3_2_at_its_claim :
  let eps := 1 in let del := 1 / 1000 in let records := 1000%nat in let d := 3%nat in let p := 3 / 2 in let q := 3 in
  let L := lr q (repeat 1 d) in let D := lr p (repeat 2 d) in
  ~ private (neighbours_of_size records) eps del (first_vector (signs_gradient d 1) corner d
      (noise (printed_index q d) (sigma_plus (printed_kappa q d) (L / D) D L records eps del) d) (repeat 0 d)).
Proof.
  intros eps del records d p q L D.
  assert (d3 : INR d = 3) by (unfold d; simpl; lra).
  assert (m : path_length records = 11).
  { unfold path_length, records. replace (Nat.log2_up 1000 + 1)%nat with 11%nat by (vm_compute; reflexivity). simpl; lra. }
  assert (L3 : L = Rpower 3 (/ 3)).
  { unfold L, d, q. rewrite lr_diagonal by (try lra; lia). fold d. rewrite d3. ring. }
  assert (D0 : 0 < D).
  { unfold D, d, p. rewrite lr_diagonal by (try lra; lia). apply Rmult_lt_0_compat. apply exp_pos. lra. }
  assert (k : printed_kappa q d = exp 2 * (ln 3 - 1)).
  { unfold printed_kappa, q. rewrite d3. apply Rmin_right. interval. }
  assert (r : printed_index q d = ln 3 - 1).
  { unfold printed_index, q. rewrite d3. apply Rmin_right. interval. }
  assert (V : sigma_plus (printed_kappa q d) (L / D) D L records eps del
    = sqrt (8 * 121 * (exp 2 * (ln 3 - 1)) * ln 11000 * (4 * (Rpower 3 (/ 3) * Rpower 3 (/ 3))))).
  { unfold sigma_plus. rewrite m, k, <- L3. f_equal. unfold eps, del. replace (11 / (1 / 1000)) with 11000 by field. field. lra. }
  rewrite V, r. set (s := sqrt _). assert (S : 200 <= s <= 300).
  { unfold s, Rpower. split; interval. }
  apply diagonal_refutes; try lra; try (unfold d, records; lia). interval.
  rewrite d3. unfold Rpower. rewrite Rmult_1_r.
  assert (E : 60000 <= exp (/ (ln 3 - 1) * ln 3)) by interval. set (w := exp (/ (ln 3 - 1) * ln 3)) in *.
  assert (X : 100 <= 3 * (w * w) / (8 * (s * s))).
  { assert (0 < s * s) by nra. apply (Rmult_le_reg_r (8 * (s * s))). lra.
    replace (3 * (w * w) / (8 * (s * s)) * (8 * (s * s))) with (3 * (w * w)) by (field; lra). nra. }
  assert (Y : exp (- (3 * (w * w) / (8 * (s * s)))) <= exp (- 100)) by (apply exp_le; lra).
  assert (Z : exp eps * (2 ^ d * exp (- 100)) + del < / 2 ^ d) by (unfold eps, del, d; interval).
  apply Rle_lt_trans with (2 := Z). apply Rplus_le_compat_r, Rmult_le_compat_l. left; apply exp_pos.
  apply Rmult_le_compat_l; auto. unfold d. lra.
Qed.
Theorem lemma_3_2_is_false : ~ theorem_3_1_with_lemma_3_2.
Proof.
  intros H. pose (d := 3%nat). pose (L := lr 3 (repeat 1 d)). pose (D := lr (3 / 2) (repeat 2 d)).
  assert (L0 : 0 < L).
  { unfold L, d. rewrite lr_diagonal by (try lra; lia). rewrite Rmult_1_r. apply exp_pos. }
  assert (D0 : 0 < D).
  { unfold D, d. rewrite lr_diagonal by (try lra; lia). apply Rmult_lt_0_compat. apply exp_pos. lra. }
  assert (d3 : INR d = 3) by (unfold d; simpl; lra).
  assert (m : path_length 1000 = 11).
  { unfold path_length. replace (Nat.log2_up 1000 + 1)%nat with 11%nat by (vm_compute; reflexivity). simpl; lra. }
  assert (noise0 : 0 < sigma_plus (printed_kappa 3 d) (L / D) D L 1000 1 (1 / 1000)).
  { unfold sigma_plus. apply sqrt_lt_R0. rewrite m. replace (L / D * D + L) with (2 * L) by (field; lra).
    replace (8 * (11 * 11) * printed_kappa 3 d * ln (11 / (1 / 1000)) * (2 * L * (2 * L)) / (1 * 1))
      with (8 * (11 * 11) * printed_kappa 3 d * ln (11 / (1 / 1000)) * 4 * (L * L)) by field.
    apply Rmult_lt_0_compat. 2: nra. unfold printed_kappa. rewrite d3, Rmin_right by interval. interval. }
  apply lemma_3_2_at_its_claim. fold d L D.
  apply (H bool d (cube d) (signs_loss 1) (signs_gradient d 1) corner (3 / 2) 3 (L / D) D L 1000%nat (repeat 0 d)); try lra; try (unfold d; lia).
  - apply cube_convex.
  - apply zero_in_cube.
  - apply cube_diameter. lra.
  - apply corner_minimises.
  - apply signs_gradients.
  - apply signs_convex.
  - apply signs_bounded; lra.
  - apply signs_lipschitz. left. now apply Rdiv_lt_0_compat.
  - now apply Rdiv_lt_0_compat.
  - apply noise_is_density; try (unfold d; lia).
    + unfold printed_index. rewrite d3. rewrite Rmin_right; interval.
    + exact noise0.
Qed.
