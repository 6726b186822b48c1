(** * Noise whose density falls with a norm, or with what is printed as one

    |v|_r = (sum |v_i|^r)^(1/r) for any r > 0 [lr], a norm only where r >= 1.  The density that is proportional to
    exp (- |v|_r^2 / (2 sigma^2)) exists [noise]; at least a 2^n-th of its mass is in each orthant, and of the orthant that begins at
    (G, ..., G) it has at most 2^n exp (- 3 |(G, ..., G)|_r^2 / (8 sigma^2)). *)
From Coq Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From Dpref Require Import Improper Density Erfc Gaussian Vectors.
From Dpref Require Finite Norms.
From Dpref.negations Require Import Laws Criteria Losses RiseAndFall.
Import ListNotations.
Open Scope R_scope.

(** ** The norms *)

Definition lr (r : R) (v : list R) : R := Norms.norm v r (fun x => x).
Fixpoint squares (v : list R) : R := match v with [] => 0 | x :: v => x * x + squares v end.
Lemma squares_nonneg v : 0 <= squares v.
Proof. induction v; simpl. lra. nra. Qed.
Lemma squares_entry v x : In x v -> x * x <= squares v.
Proof. induction v as [ | y v IH]; simpl. easy. pose proof (squares_nonneg v). intros [-> | I]. lra. specialize (IH I). nra. Qed.
Lemma squares_at_most v m : (forall x, In x v -> x * x <= m) -> squares v <= INR (length v) * m.
Proof.
  induction v as [ | x v IH]; intros H. simpl; lra. change (length (x :: v)) with (S (length v)). rewrite S_INR.
  pose proof (H x (or_introl eq_refl)). specialize (IH (fun y I => H y (or_intror I))). simpl. lra.
Qed.
Lemma power_power x r : 0 < r -> 0 <= x -> Norms.power (Norms.power x r) (/ r) = x.
Proof.
  intros R0 X. unfold Norms.power. destruct (Req_EM_T x 0) as [-> | N]. destruct (Req_EM_T 0 0); lra.
  destruct (Req_EM_T (Rpower x r) 0) as [E | _]. pose proof (exp_pos (r * ln x)). unfold Rpower in E. lra.
  rewrite Rpower_mult. replace (r * / r) with 1 by (field; lra). apply Rpower_1. lra.
Qed.
Lemma power_of_product u x r : 0 < u -> 0 <= x -> Norms.power (u * x) r = Norms.power u r * Norms.power x r.
Proof.
  intros U X. unfold Norms.power. destruct (Req_EM_T u 0). lra. destruct (Req_EM_T x 0) as [-> | N], (Req_EM_T (u * _) 0) as [M | M]; try nra.
  symmetry. apply Rpower_mult_distr; lra.
Qed.
Section Norm.
  Variable r : R.
  Hypothesis r0 : 0 < r.
  Let ps (v : list R) : R := Norms.power_sum v r (fun x => x).
  Lemma lr_nonneg v : 0 <= lr r v. Proof. apply Norms.power_nonneg. Qed.
  Lemma lr_entry v x : In x v -> Rabs x <= lr r v.
  Proof.
    intros I. rewrite <- (power_power (Rabs x) r r0 (Rabs_pos x)). apply Norms.power_mono. left; now apply Rinv_0_lt_compat.
    split. apply Norms.power_nonneg.
    exact (Finite.sum_one v (fun x => Norms.power (Rabs x) r) x I (fun b _ => Norms.power_nonneg (Rabs b) r)).
  Qed.
  Lemma lr_mono v w : Forall2 (fun x y => Rabs x <= Rabs y) v w -> lr r v <= lr r w.
  Proof.
    intros H. apply Norms.power_mono. left; now apply Rinv_0_lt_compat. split. apply Norms.power_sum_nonneg.
    induction H as [ | x y v w E _ IH]. right; reflexivity.
    change (Norms.power (Rabs x) r + ps v <= Norms.power (Rabs y) r + ps w). apply Rplus_le_compat; auto.
    apply Norms.power_mono. lra. split; auto. apply Rabs_pos.
  Qed.
  Lemma lr_scale u v : 0 < u -> lr r (map (fun x => u * x) v) = u * lr r v.
  Proof.
    intros U. assert (E : ps (map (fun x => u * x) v) = Norms.power u r * ps v).
    { induction v as [ | x v IH]. unfold ps, Norms.power_sum. simpl. ring.
      change (Norms.power (Rabs (u * x)) r + ps (map (fun x => u * x) v) = Norms.power u r * (Norms.power (Rabs x) r + ps v)).
      rewrite IH, Rabs_mult, (Rabs_pos_eq u), power_of_product by (try apply Rabs_pos; lra). ring. }
    unfold lr, Norms.norm. fold (ps (map (fun x => u * x) v)) (ps v). rewrite E.
    assert (U' : 0 < Norms.power u r). { unfold Norms.power. destruct (Req_EM_T u 0). lra. apply exp_pos. }
    rewrite power_of_product by (auto; apply Norms.power_sum_nonneg). f_equal. apply power_power; lra.
  Qed.
  Lemma lr_diagonal n x : 0 < x -> (1 <= n)%nat -> lr r (repeat x n) = Rpower (INR n) (/ r) * x.
  Proof.
    intros X N. assert (E : ps (repeat x n) = INR n * Norms.power x r).
    { clear N. induction n. unfold ps, Norms.power_sum; simpl; ring. rewrite S_INR.
      change (Norms.power (Rabs x) r + ps (repeat x n) = (INR n + 1) * Norms.power x r). rewrite IHn, Rabs_pos_eq by lra. ring. }
    unfold lr, Norms.norm. fold (ps (repeat x n)). rewrite E. pose proof (INR_pos n N).
    rewrite power_of_product by (auto; apply Norms.power_nonneg). rewrite power_power by lra. f_equal.
    unfold Norms.power. destruct (Req_EM_T (INR n) 0); lra.
  Qed.
End Norm.
Lemma normals_bell s v : 0 < s -> exp (- (squares v / (2 * (s * s)))) = (s * sqrt (2 * PI)) ^ length v * normals s v.
Proof.
  intros S0. pose proof sqrt_2PI_pos as P. induction v as [ | x v IH].
  - simpl. replace (- (0 / (2 * (s * s)))) with 0 by (field; lra). rewrite exp_0. ring.
  - simpl. replace (- ((x * x + squares v) / (2 * (s * s)))) with (- ((x - 0) * (x - 0) / (2 * (s * s))) + - (squares v / (2 * (s * s)))) by (field; lra).
    rewrite exp_plus, IH. unfold normal. field. split; lra.
Qed.
Lemma normals_integral s n : 0 < s -> iterated n (normals s) 1.
Proof.
  intros S0. induction n as [ | n IH]. reflexivity. exists (normal 0 s). split. 2: now apply normal_integral.
  intros x. pose proof (iterated_scal n (normal 0 s x) _ _ IH) as K. rewrite Rmult_1_r in K. exact K.
Qed.

(** ** The noise *)

Definition above (t x : R) : bool := if Rle_dec t x then true else false.
Section Noise.
  Variables (r sigma : R) (n : nat).
  Hypothesis (r0 : 0 < r) (sigma0 : 0 < sigma) (n0 : (1 <= n)%nat).
  Definition shape (v : list R) : R := exp (- (lr r v * lr r v / (2 * (sigma * sigma)))).
  Definition shape_above (t : R) (v : list R) : R := vector_restricted (forallb (above t)) shape v.
  Let n1 : 1 <= INR n. Proof. now apply (le_INR 1). Qed.
  Let ss : 0 < sigma * sigma. Proof. now apply Rmult_lt_0_compat. Qed.
  Lemma shape_falls v w : lr r v <= lr r w -> shape w <= shape v.
  Proof.
    intros L. apply exp_le. apply Ropp_le_contravar. apply Rmult_le_compat_r. left; apply Rinv_0_lt_compat; lra.
    pose proof (lr_nonneg r v). apply Rmult_le_compat; auto.
  Qed.
  (** Between two multiples of independent normal densities. *)
  Let wide := sqrt (INR n) * sigma.
  Let wide0 : 0 < wide. Proof. apply Rmult_lt_0_compat; auto. apply sqrt_lt_R0. lra. Qed.
  Lemma shape_dominated v : length v = n -> 0 <= shape v <= (wide * sqrt (2 * PI)) ^ n * normals wide v.
  Proof.
    intros L. split. left; apply exp_pos. rewrite <- L, <- normals_bell by auto. apply exp_le, Ropp_le_contravar.
    assert (E : wide * wide = INR n * (sigma * sigma)).
    { unfold wide. replace (sqrt (INR n) * sigma * (sqrt (INR n) * sigma)) with (sqrt (INR n) * sqrt (INR n) * (sigma * sigma)) by ring.
      rewrite sqrt_sqrt; lra. }
    rewrite E. apply (Rmult_le_reg_r (2 * (INR n * (sigma * sigma)))). assert (0 < INR n * (sigma * sigma)) by nra. lra.
    replace (squares v / (2 * (INR n * (sigma * sigma))) * (2 * (INR n * (sigma * sigma)))) with (squares v) by (field; lra).
    replace (lr r v * lr r v / (2 * (sigma * sigma)) * (2 * (INR n * (sigma * sigma)))) with (INR n * (lr r v * lr r v)) by (field; lra).
    rewrite <- L. apply squares_at_most. intros x I. pose proof (lr_entry r r0 v x I) as B. pose proof (Rabs_pos x).
    replace (x * x) with (Rabs x * Rabs x). apply Rmult_le_compat; lra. rewrite <- Rabs_mult. apply Rabs_pos_eq. nra.
  Qed.
  Let power_n := Rpower (INR n) (/ r).
  Let narrow := sigma / power_n.
  Let power_n0 : 0 < power_n. Proof. apply exp_pos. Qed.
  Let narrow0 : 0 < narrow. Proof. now apply Rdiv_lt_0_compat. Qed.
  Lemma shape_minorised v : length v = n -> (narrow * sqrt (2 * PI)) ^ n * normals narrow v <= shape v.
  Proof.
    intros L. rewrite <- L, <- normals_bell by auto. apply exp_le, Ropp_le_contravar.
    pose proof (squares_nonneg v) as Q. set (m := sqrt (squares v)). assert (M : m * m = squares v) by now apply sqrt_sqrt.
    assert (B : lr r v <= power_n * m).
    { assert (M0 : 0 <= m) by apply sqrt_pos. apply le_epsilon. intros e e0. set (m' := m + e / power_n).
      assert (0 < e / power_n) by now apply Rdiv_lt_0_compat.
      replace (power_n * m + e) with (power_n * m') by (unfold m'; field; lra). unfold power_n. rewrite <- (lr_diagonal r r0 n) by (auto; unfold m'; lra).
      apply lr_mono; auto. rewrite <- L. assert (A : forall x, In x v -> Rabs x <= Rabs m').
      { intros x I. apply Rsqr_le_abs_0. unfold Rsqr. pose proof (squares_entry v x I). unfold m'. nra. }
      clearbody m'. clear -A. induction v as [ | x v IH]; simpl; constructor. apply A; now left. apply IH. intros y I. apply A; now right. }
    unfold narrow. replace (squares v / (2 * (sigma / power_n * (sigma / power_n)))) with (power_n * m * (power_n * m) / (2 * (sigma * sigma))).
    2: { replace (power_n * m * (power_n * m)) with (power_n * power_n * (m * m)) by ring. rewrite M. field. lra. }
    apply Rmult_le_compat_r. left; apply Rinv_0_lt_compat; lra. pose proof (lr_nonneg r v). apply Rmult_le_compat; auto.
  Qed.
  Let abs_app u x y v : Rabs x <= Rabs y -> lr r (u ++ x :: v) <= lr r (u ++ y :: v).
  Proof.
    intros H. apply lr_mono; auto. assert (Z : forall w : list R, Forall2 (fun a b => Rabs a <= Rabs b) w w).
    { induction w; constructor; auto. lra. }
    apply Forall2_app; auto.
  Qed.
  Let above_app t u x v : forallb (above t) (u ++ x :: v) = (forallb (above t) (u ++ v) && above t x)%bool.
  Proof. rewrite !forallb_app. simpl. destruct (forallb (above t) u), (above t x), (forallb (above t) v); reflexivity. Qed.
  Lemma shape_peaked : peaked_in_each 0 n shape.
  Proof.
    intros u v _. split; intros x y O; apply shape_falls, abs_app.
    rewrite !Rabs_left1 by lra. lra. rewrite !Rabs_pos_eq by lra. lra.
  Qed.
  Lemma shape_above_peaked t : peaked_in_each (Rmax 0 t) n (shape_above t).
  Proof.
    intros u v _. unfold shape_above, vector_restricted.
    assert (P : forall w, 0 < shape w) by (intros w; apply exp_pos).
    split; intros x y O; rewrite !above_app; destruct (forallb (above t) (u ++ v)); simpl; try lra; unfold above;
      pose proof (P (u ++ x :: v)); pose proof (P (u ++ y :: v)).
    - destruct (Rle_dec t x), (Rle_dec t y); try lra. apply shape_falls, abs_app.
      destruct (Rle_dec t 0). rewrite Rmax_left in O by lra. rewrite !Rabs_left1 by lra. lra.
      rewrite Rmax_right in O by lra. replace y with x by lra. lra.
    - pose proof (Rmax_l 0 t). pose proof (Rmax_r 0 t). destruct (Rle_dec t x), (Rle_dec t y); try lra. apply shape_falls, abs_app.
      rewrite !Rabs_pos_eq by lra. lra.
  Qed.
  Definition mass : R := total n shape.
  Definition mass_above (t : R) : R := total n (shape_above t).
  Let C0 : 0 <= (wide * sqrt (2 * PI)) ^ n.
  Proof. apply pow_le. pose proof sqrt_2PI_pos. nra. Qed.
  Lemma mass_is : iterated n shape mass.
  Proof. apply (total_correct 0 wide n wide0 shape _ C0). apply shape_dominated. apply shape_peaked. Qed.
  Lemma mass_above_is t : iterated n (shape_above t) (mass_above t).
  Proof.
    apply (total_correct (Rmax 0 t) wide n wide0 (shape_above t) _ C0). 2: apply shape_above_peaked.
    intros v L. pose proof (shape_dominated v L). unfold shape_above, vector_restricted. destruct (forallb _ v); lra.
  Qed.
  Lemma mass_positive : 0 < mass.
  Proof.
    pose proof (iterated_scal n ((narrow * sqrt (2 * PI)) ^ n) _ _ (normals_integral narrow n narrow0)) as N.
    pose proof (iterated_le n _ _ _ _ shape_minorised N mass_is) as B. rewrite Rmult_1_r in B.
    apply Rlt_le_trans with (2 := B). apply pow_lt. pose proof sqrt_2PI_pos. nra.
  Qed.
  (** The density of the noise. *)
  Definition noise (v : list R) : R := shape v / mass.
End Noise.
Lemma orthant n : forall f l h, (forall u x v, f (u ++ - x :: v) = f (u ++ x :: v)) -> iterated n f l ->
  iterated n (vector_restricted (forallb (above 0)) f) h -> l = 2 ^ n * h.
Proof.
  induction n as [ | n IH]; intros f l h E H K.
  - simpl in *. unfold vector_restricted in K. simpl in K. lra.
  - destruct H as (g & G & H), K as (k & K & J).
    assert (P : forall x, positive_part g x = 2 ^ n * k x).
    { intros x. unfold positive_part, restricted. destruct (Rle_dec 0 x) as [h0 | h0].
      - apply (IH (fun v => f (x :: v)) (g x) (k x)); auto. intros u y v. apply (E (x :: u)).
        refine (iterated_ext n _ _ _ _ (K x)). intros v _. unfold vector_restricted. simpl. unfold above at 1.
        destruct (Rle_dec 0 x); [reflexivity | lra].
      - assert (Z : iterated n (fun _ => 0 * f []) (0 * 1)).
        { apply (iterated_ext n (fun v => 0 * normals 1 v)). intros; ring. apply iterated_scal, normals_integral. lra. }
        rewrite (iterated_unique n _ (k x) (0 * 1) (K x)). ring. revert Z. apply iterated_ext. intros v _.
        unfold vector_restricted. simpl. unfold above at 1. destruct (Rle_dec 0 x). lra. simpl. ring. }
    replace (2 ^ S n * h) with (2 * (2 ^ n * h)) by (simpl; ring). apply (even_integral g); auto.
    + intros x. apply (iterated_unique n _ _ _ (G (- x))). refine (iterated_ext n _ _ _ _ (G x)). intros v _. symmetry. apply (E [] x v).
    + apply (integral_ext (fun x => 2 ^ n * k x)). intros x. now rewrite P. now apply integral_scal.
Qed.
Section Diagonal.
  Variables (r sigma G : R) (n : nat).
  Hypothesis (r0 : 0 < r) (sigma0 : 0 < sigma) (G0 : 0 < G) (n0 : (1 <= n)%nat).
  Let diagonal := Rpower (INR n) (/ r) * G.
  Let even u x v : shape r sigma (u ++ - x :: v) = shape r sigma (u ++ x :: v).
  Proof.
    unfold shape, lr, Norms.norm, Norms.power_sum.
    assert (S : Finite.sum_over (u ++ - x :: v) (fun i => Norms.power (Rabs i) r) = Finite.sum_over (u ++ x :: v) (fun i => Norms.power (Rabs i) r)).
    { induction u; simpl. now rewrite Rabs_Ropp. now rewrite IHu. }
    now rewrite S.
  Qed.
  (** Half of the noise in each coordinate is on the other side of 0; all of it is hardly ever beyond the diagonal. *)
  Lemma near_orthant : mass r sigma n <= 2 ^ n * mass_above r sigma n (- G).
  Proof.
    pose proof (mass_above_is r sigma n r0 sigma0 n0 0) as I. rewrite (orthant n _ _ _ even (mass_is r sigma n r0 sigma0 n0) I).
    apply Rmult_le_compat_l. apply pow_le; lra.
    refine (iterated_le n _ _ _ _ _ I (mass_above_is r sigma n r0 sigma0 n0 (- G))). intros v _. unfold shape_above, vector_restricted.
    assert (0 < shape r sigma v) by apply exp_pos.
    destruct (forallb (above 0) v) eqn:E, (forallb (above (- G)) v) eqn:F; try lra. exfalso.
    assert (T : forallb (above (- G)) v = true). 2: congruence. rewrite forallb_forall in *. intros x X. specialize (E x X).
    unfold above in *. destruct (Rle_dec 0 x), (Rle_dec (- G) x); auto. lra.
  Qed.
  Lemma beyond_diagonal : mass_above r sigma n G <= exp (- (3 * (diagonal * diagonal) / (8 * (sigma * sigma)))) * (2 ^ n * mass r sigma n).
  Proof.
    pose proof (iterated_scale n (1 / 2) ltac:(lra) _ _ (mass_is r sigma n r0 sigma0 n0)) as I.
    replace (mass r sigma n / (1 / 2) ^ n) with (2 ^ n * mass r sigma n) in I.
    2: { replace (1 / 2) with (/ 2) by field. rewrite <- Rinv_pow by lra. field. apply pow_nonzero; lra. }
    refine (iterated_le n _ _ _ _ _ (mass_above_is r sigma n r0 sigma0 n0 G) (iterated_scal n _ _ _ I)). intros v L.
    unfold shape_above, vector_restricted. destruct (forallb (above G) v) eqn:E.
    2: { left. apply Rmult_lt_0_compat; apply exp_pos. }
    assert (B : diagonal <= lr r v).
    { unfold diagonal. rewrite <- (lr_diagonal r r0 n) by auto. apply lr_mono; auto. rewrite <- L. clear L.
      induction v as [ | x v IH]; simpl in *; constructor; apply andb_prop in E; destruct E as [E1 E2]; auto.
      unfold above in E1. destruct (Rle_dec G x). 2: discriminate. rewrite !Rabs_pos_eq; lra. }
    unfold shape. rewrite lr_scale by (auto; lra). rewrite <- exp_plus. apply exp_le.
    assert (ss : 0 < sigma * sigma) by now apply Rmult_lt_0_compat. assert (D0 : 0 < diagonal) by (apply Rmult_lt_0_compat; auto; apply exp_pos).
    assert (diagonal * diagonal <= lr r v * lr r v) by (apply Rmult_le_compat; lra).
    apply (Rmult_le_reg_r (8 * (sigma * sigma))). lra.
    replace (- (lr r v * lr r v / (2 * (sigma * sigma))) * (8 * (sigma * sigma))) with (- (4 * (lr r v * lr r v))) by (field; lra).
    replace ((- (3 * (diagonal * diagonal) / (8 * (sigma * sigma))) + - (1 / 2 * lr r v * (1 / 2 * lr r v) / (2 * (sigma * sigma)))) * (8 * (sigma * sigma)))
      with (- (3 * (diagonal * diagonal)) - lr r v * lr r v) by (field; lra). lra.
  Qed.
End Diagonal.
