(** * Differentially private empirical risk minimization revisited: a sampled index shows its record

    Two inner steps of DP-SVRG from 0 (Algorithm 1 with m = 2, Algorithm 2 with m = 1).  One data set holds a marked
    record, with a kinked loss; its gradient differs from the others' only after the first step, and with probability
    1 / n the second step samples it and moves back.  The event: the average of the two iterates is below the others'
    mean by half of that move.  Used by ErmRange.v. *)
From Coq Require Import Reals Lra Lia List Psatz.
From Coquelicot Require Import Coquelicot.
From Dpref Require Import Improper Density Erfc Gaussian.
From Dpref Require Finite.
From Dpref.negations Require Import Laws HalfLines Criteria Losses ErmRevisited ErmVarianceReduction.
Import ListNotations.
Open Scope R_scope.

(** ** The losses *)

(** clip (L x - G) to [-G, G]: -G at 0, G from 2 G / L on. *)
Definition kink (G L x : R) : R := (Rabs (L * x) - Rabs (L * x - 2 * G)) / 2.
(** The slope of the marked record is the kink; every other record has the constant slope -G. *)
Definition marked_slope (G L : R) (z : bool) (x : R) : R := if z then kink G L x else - G.
Definition marked_loss (G L : R) (z : bool) (x : R) : R := if z then RInt (kink G L) 0 x else - G * x.

Lemma continuous_kink G L x : continuous (kink G L) x.
Proof.
  unfold kink, Rdiv. apply (continuous_mult (fun x => Rabs (L * x) - Rabs (L * x - 2 * G)) (fun _ => / 2)).
  2: apply continuous_const.
  apply (continuous_minus (fun x => Rabs (L * x)) (fun x => Rabs (L * x - 2 * G))).
  - apply (continuous_comp (fun x => L * x) Rabs). apply (ex_derive_continuous (fun x => L * x)). auto_derive. auto.
    apply continuous_Rabs.
  - apply (continuous_comp (fun x => L * x - 2 * G) Rabs). apply (ex_derive_continuous (fun x => L * x - 2 * G)).
    auto_derive. auto. apply continuous_Rabs.
Qed.
Lemma kink_bounds G L x : 0 <= G -> - G <= kink G L x <= G.
Proof. intros H. unfold kink, Rabs. destruct (Rcase_abs (L * x)), (Rcase_abs (L * x - 2 * G)); lra. Qed.
Lemma kink_at_0 G L : 0 <= G -> kink G L 0 = - G.
Proof. intros H. unfold kink. rewrite Rmult_0_r, Rabs_R0, Rabs_left1; lra. Qed.
Lemma kink_far G L x : 0 <= G -> 2 * G <= L * x -> kink G L x = G.
Proof. intros H K. unfold kink. rewrite !Rabs_pos_eq; lra. Qed.
Lemma kink_monotone G L x y : 0 <= G -> 0 <= L -> x <= y -> 0 <= kink G L y - kink G L x <= L * (y - x).
Proof.
  intros H K M. assert (L * x <= L * y) by (apply Rmult_le_compat_l; auto). unfold kink, Rabs.
  destruct (Rcase_abs (L * x)), (Rcase_abs (L * x - 2 * G)), (Rcase_abs (L * y)), (Rcase_abs (L * y - 2 * G)); lra.
Qed.
Lemma marked_differentiable G L : differentiable (marked_loss G L) (marked_slope G L).
Proof.
  intros [] x; unfold marked_loss, marked_slope.
  - apply (is_derive_RInt (kink G L) (fun x => RInt (kink G L) 0 x) 0 x). 2: apply continuous_kink.
    apply filter_forall. intros y. apply (RInt_correct (kink G L)).
    apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros; apply continuous_kink.
  - auto_derive. auto. ring.
Qed.
Lemma mean_value f g : (forall x, is_derive f x (g x)) -> forall x y, exists c, Rmin x y <= c <= Rmax x y /\ f y - f x = g c * (y - x).
Proof.
  intros D x y. destruct (MVT_gen f x y g) as (c & C & E). intros; apply D.
  intros z _. apply continuity_pt_filterlim, (ex_derive_continuous f). eexists; apply D. now exists c.
Qed.
Lemma marked_lipschitz G L : 0 <= G -> lipschitz (marked_loss G L) G.
Proof.
  intros H z x y. destruct (mean_value _ _ (marked_differentiable G L z) y x) as (c & _ & ->). rewrite Rabs_mult.
  apply Rmult_le_compat_r. apply Rabs_pos. destruct z; unfold marked_slope.
  pose proof (kink_bounds G L c H). apply Rabs_le. lra. rewrite Rabs_Ropp, Rabs_pos_eq; lra.
Qed.
Lemma marked_smooth G L : 0 <= G -> 0 <= L -> smooth (marked_slope G L) L.
Proof.
  intros H K [] x y; unfold marked_slope.
  - destruct (Rle_dec x y) as [h | h].
    + pose proof (kink_monotone G L x y H K h). rewrite (Rabs_left1 (x - y)), Rabs_left1 by lra. lra.
    + pose proof (kink_monotone G L y x H K ltac:(lra)). rewrite (Rabs_pos_eq (x - y)), Rabs_pos_eq by lra. lra.
  - rewrite Rminus_eq_0, Rabs_R0. apply Rmult_le_pos; auto. apply Rabs_pos.
Qed.
Lemma marked_convex G L z : 0 <= G -> 0 <= L -> convex_on_line (marked_loss G L z).
Proof.
  intros H K. assert (W : forall x y t, 0 <= t <= 1 -> x <= y ->
    marked_loss G L z (t * x + (1 - t) * y) <= t * marked_loss G L z x + (1 - t) * marked_loss G L z y).
  { intros x y t T O. set (m := t * x + (1 - t) * y). assert (M : x <= m <= y) by (unfold m; nra).
    destruct (mean_value _ _ (marked_differentiable G L z) x m) as (c & C & E).
    destruct (mean_value _ _ (marked_differentiable G L z) m y) as (d & D & F).
    rewrite Rmin_left, Rmax_right in C by lra. rewrite Rmin_left, Rmax_right in D by lra.
    assert (S : marked_slope G L z c <= marked_slope G L z d).
    { destruct z; unfold marked_slope. 2: lra. pose proof (kink_monotone G L c d H K ltac:(lra)). lra. }
    assert (E1 : m - x = (1 - t) * (y - x)) by (unfold m; ring). assert (F1 : y - m = t * (y - x)) by (unfold m; ring).
    assert (P : 0 <= t * (1 - t) * (y - x)) by (apply Rmult_le_pos; nra).
    rewrite E1 in E. rewrite F1 in F. nra. }
  intros x y t T. destruct (Rle_dec x y) as [h | h]. now apply W.
  pose proof (W y x (1 - t) ltac:(lra) ltac:(lra)) as V. replace (1 - (1 - t)) with t in V by ring.
  replace (t * x + (1 - t) * y) with ((1 - t) * y + t * x) by ring. lra.
Qed.
Lemma mean_of_convex {X} (f : X -> R -> R) (data : list X) : (forall z, convex_on_line (f z)) ->
  convex_on_line (fun x => mean (fun z => f z x) data).
Proof.
  intros C x y t T. unfold mean, Rdiv. rewrite <- !Rmult_assoc, <- Rmult_plus_distr_r. apply Rmult_le_compat_r.
  - destruct data. simpl. rewrite Rinv_0. lra. left. apply Rinv_0_lt_compat, lt_0_INR. simpl. lia.
  - rewrite <- !Finite.sum_scal, <- Finite.sum_plus. apply Finite.sum_le. intros z _. now apply C.
Qed.
Lemma marked_objective G L mu data : 0 <= G -> 0 <= L -> strongly_convex (fun x => mean (fun z => marked_loss G L z x) data + ridge mu x) mu.
Proof.
  intros H K x y t T. pose proof (mean_of_convex (marked_loss G L) data (fun z => marked_convex G L z H K) x y t T) as C.
  unfold ridge. cbv beta in C. lra.
Qed.

(** ** Two inner steps *)

Definition with_mark (n : nat) : list bool := true :: repeat false (n - 1).
Definition without_mark (n : nat) : list bool := false :: repeat false (n - 1).
Lemma marked_neighbours n : (1 <= n)%nat -> neighbours_of_size n (with_mark n) (without_mark n).
Proof.
  intros H. split. simpl. rewrite repeat_length. lia. exists [], true, false, (repeat false (n - 1)). split; reflexivity.
Qed.
Section TwoSteps.
  Variables (a G L eta sigma : R) (n : nat) (prox : R -> R).
  Hypothesis (a_range : 1 / 2 <= a <= 1) (prox_scales : forall y, prox y = a * y).
  Hypothesis (G0 : 0 < G) (L0 : 0 < L) (step : 6 <= L * eta) (sigma0 : 0 < sigma) (n0 : (1 <= n)%nat).
  Let eta0 : 0 < eta. Proof. nra. Qed.
  Let N0 : 0 < INR n. Proof. now apply INR_pos. Qed.
  Let slope := marked_slope G L.
  Let at_0 (data : list bool) : data <> [] -> mean (fun z => slope z 0) data = - G.
  Proof.
    intros H. unfold mean. replace (Finite.sum_over data (fun z => slope z 0)) with (- G * INR (length data)).
    field. apply not_0_INR. destruct data; simpl; [easy | lia].
    clear H. induction data as [ | z l IH]. simpl. ring. change (length (z :: l)) with (S (length l)). rewrite S_INR. simpl.
    rewrite <- IH. unfold slope, marked_slope. destruct z; rewrite ?kink_at_0 by lra; ring.
  Qed.
  (** The first iterate for noise u, and the average's mean given u and the second index. *)
  Let first u := a * (eta * (G - u)).
  Let centre (i : bool) u := (first u + a * (first u - eta * (slope i (first u)))) / 2.
  Let s2 := a * eta * sigma / 2.
  Let s2_pos : 0 < s2. Proof. unfold s2. assert (0 < a * eta * sigma) by (repeat apply Rmult_lt_0_compat; lra). lra. Qed.
  Let t := (a * a + a) / 2 * (eta * G).
  Let below i u := 1 - normal_cdf ((centre i u - t) / s2).
  Let second_step (data : list bool) i u : data <> [] -> normal_tails
    (v <- gaussian 0 sigma; point ((0 + first u + prox (first u - eta * (slope i (first u) - slope i 0 + - G + v))) / 2)) (centre i u) s2.
  Proof.
    intros _. assert (K : 0 < a * eta / 2) by nra.
    apply (normal_tails_ext (v <- gaussian 0 sigma; point (centre i u + - (a * eta / 2) * v)) _ (centre i u) (Rabs (- (a * eta / 2)) * sigma)).
    - intros f v (h & H & J). exists h. split; auto. intros w. rewrite <- (H w). unfold point. f_equal. rewrite prox_scales.
      replace (slope i 0) with (- G) by (unfold slope, marked_slope; destruct i; rewrite ?kink_at_0 by lra; auto).
      unfold centre. field.
    - reflexivity.
    - rewrite Rabs_Ropp, Rabs_pos_eq by lra. unfold s2. field.
    - apply affine_normal_tails; lra.
  Qed.
  Let S := fun x => negb (beyond t x).
  (** What the two steps make of the event, by the mean over the noise of the first. *)
  Let two_steps (data : list bool) V P : data <> [] -> (forall u, V u = Finite.sum_over data (fun i => below i u) / INR (length data)) ->
    integral (fun u => V u * normal 0 sigma u) P ->
    probability_is (inner_steps slope prox eta sigma data 2 0 0 0 (fun total _ => point (total / 2))) S P.
  Proof.
    intros D EV I. simpl inner_steps. exists (fun _ => P). split.
    2: { unfold uniform. replace (Finite.sum_over data (fun _ => P)) with (P * INR (length data)). field.
         apply not_0_INR. destruct data; simpl; [easy | lia].
         clear. induction data as [ | z l IH]. simpl; ring. change (length (z :: l)) with (Datatypes.S (length l)). rewrite S_INR.
         simpl. rewrite <- IH. ring. }
    intros i. exists V. split. 2: exact I. intros u. exists (fun j => below j u). split.
    2: { unfold uniform. symmetry. apply EV. }
    intros j. destruct (second_step data j u D t) as [_ H].
    replace (prox (0 - eta * (slope i 0 - slope i 0 + mean (fun z => slope z 0) data + u))) with (first u).
    2: { rewrite at_0, prox_scales by auto. unfold first. ring. }
    rewrite at_0 by auto. exact H.
  Qed.
  Let continuous_centre i u : continuous (centre i) u.
  Proof.
    unfold centre. apply (continuous_comp first (fun x => (x + a * (x - eta * slope i x)) / 2)).
    unfold first. apply (ex_derive_continuous (fun u => a * (eta * (G - u)))). auto_derive. auto.
    apply (continuous_ext (fun x => / 2 * ((1 + a) * x - a * eta * slope i x))).
    { intros x. match goal with |- ?l = ?r => change (@eq R l r) end. field. }
    apply (continuous_mult (fun _ => / 2) (fun x => (1 + a) * x - a * eta * slope i x)). apply continuous_const.
    apply (continuous_minus (fun x => (1 + a) * x) (fun x => a * eta * slope i x)).
    apply (ex_derive_continuous (fun x => (1 + a) * x)). auto_derive. auto.
    apply (continuous_mult (fun _ => a * eta) (slope i)). apply continuous_const.
    unfold slope, marked_slope. destruct i. apply continuous_kink. apply continuous_const.
  Qed.
  Let below_integrable i : exists P, integral (fun u => below i u * normal 0 sigma u) P.
  Proof.
    apply (integral_dominated _ (normal 0 sigma) 1). 2: now apply integrable_normal. 3: now apply normal_integral.
    - intros x y. apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros u _.
      apply (continuous_mult (below i) (normal 0 sigma)). 2: now apply continuous_normal.
      unfold below. apply (continuous_minus (fun _ => 1) (fun u => normal_cdf ((centre i u - t) / s2))). apply continuous_const.
      apply (continuous_comp (fun u => (centre i u - t) / s2) normal_cdf).
      apply (continuous_mult (fun u => centre i u - t) (fun _ => / s2)). 2: apply continuous_const.
      apply (continuous_minus (centre i) (fun _ => t)). apply continuous_centre. apply continuous_const.
      apply (ex_derive_continuous normal_cdf). eexists; apply is_derive_normal_cdf.
    - intros u. unfold below. pose proof (normal_cdf_bounds ((centre i u - t) / s2)). pose proof (normal_positive 0 sigma u sigma0). nra.
  Qed.
  (** Without the mark: a normal tail. *)
  Let spread := sqrt (s2 * s2 + - ((1 + a) * (a * eta) / 2) * - ((1 + a) * (a * eta) / 2) * (sigma * sigma)).
  Let tail := 1 - normal_cdf (a * eta * G / 2 / spread).
  Let unmarked : integral (fun u => below false u * normal 0 sigma u) tail.
  Proof.
    pose proof (normal_convolution (- ((1 + a) * (a * eta) / 2)) s2 sigma s2_pos sigma0 (a * eta * G / 2)) as C.
    apply (integral_ext (fun u => normal 0 sigma u - normal_cdf ((a * eta * G / 2 + - ((1 + a) * (a * eta) / 2) * u) / s2) * normal 0 sigma u)).
    - intros u. unfold below. replace (centre false u - t) with (a * eta * G / 2 + - ((1 + a) * (a * eta) / 2) * u).
      ring. unfold centre, first, t, slope, marked_slope. field.
    - exact (integral_minus _ _ _ _ (normal_integral 0 sigma sigma0) C).
  Qed.
  Let tail_small : 4 * sigma <= G -> tail <= exp (- (G * G / (10 * (sigma * sigma)))) / 2.
  Proof.
    intros K. unfold tail. rewrite <- normal_cdf_opp. assert (s0 : 0 < spread) by (apply sqrt_lt_R0; nra).
    assert (X : 0 <= a * eta * G / 2 / spread) by (apply Rdiv_le_0_compat; auto; assert (0 < a * eta * G) by (repeat apply Rmult_lt_0_compat; lra); lra).
    apply Rle_trans with (1 := normal_cdf_upper _ X). apply Rmult_le_compat_r. lra. apply exp_le. apply Ropp_le_contravar.
    assert (SS : spread * spread = a * eta * (a * eta) * (sigma * sigma) * (1 / 4 + (1 + a) * (1 + a) / 4)).
    { unfold spread. rewrite sqrt_sqrt by nra. unfold s2. field. }
    assert (A : (1 + a) * (1 + a) / 4 <= 1) by nra. assert (E : 0 < a * eta) by nra.
    assert (B : spread * spread <= a * eta * (a * eta) * (sigma * sigma) * (5 / 4)).
    { rewrite SS. apply Rmult_le_compat_l. nra. lra. }
    assert (s1 : 0 < spread * spread) by nra.
    replace (a * eta * G / 2 / spread * (a * eta * G / 2 / spread) / 2) with (a * eta * (a * eta) * (G * G) / (8 * (spread * spread))) by (field; lra).
    apply (Rmult_le_reg_r (10 * (sigma * sigma) * (spread * spread))). repeat apply Rmult_lt_0_compat; lra.
    replace (G * G / (10 * (sigma * sigma)) * (10 * (sigma * sigma) * (spread * spread))) with (G * G * (spread * spread)) by (field; lra).
    replace (a * eta * (a * eta) * (G * G) / (8 * (spread * spread)) * (10 * (sigma * sigma) * (spread * spread)))
      with (G * G * (a * eta * (a * eta) * (sigma * sigma) * (5 / 4))) by (field; lra).
    apply Rmult_le_compat_l; nra.
  Qed.
  (** With the mark: at least a quarter, where the first noise is at most G / 4. *)
  Let marked_large P : integral (fun u => below true u * normal 0 sigma u) P -> 8 * sigma <= G -> 1 / 4 <= P.
  Proof.
    intros I K.
    pose proof (normal_before 0 sigma (G / 4) sigma0) as H1. pose proof (normal_before 0 sigma (- (G / 4)) sigma0) as H2.
    unfold probability in H1, H2. replace ((G / 4 - 0) / sigma) with (G / 4 / sigma) in H1 by (field; lra).
    replace ((- (G / 4) - 0) / sigma) with (- (G / 4 / sigma)) in H2 by (field; lra).
    pose proof (integral_scal _ (1 / 2) _ (integral_minus _ _ _ _ H1 H2)) as M.
    assert (Q : forall u, 1 / 2 * (restricted (before (G / 4)) (normal 0 sigma) u - restricted (before (- (G / 4))) (normal 0 sigma) u)
      <= below true u * normal 0 sigma u).
    { intros u. pose proof (normal_positive 0 sigma u sigma0) as NP. pose proof (normal_cdf_bounds ((centre true u - t) / s2)) as NB.
      assert (B0 : 0 < below true u) by (unfold below; lra). assert (0 < below true u * normal 0 sigma u) by now apply Rmult_lt_0_compat.
      unfold restricted, before. destruct (Rlt_dec u (G / 4)) as [h | h], (Rlt_dec u (- (G / 4))) as [k | k]; try lra.
      rewrite Rminus_0_r. apply Rmult_le_compat_r. lra. assert (E : 0 < a * eta) by nra.
      assert (F : 3 / 4 * (a * eta * G) <= first u). { unfold first. nra. }
      assert (X : 2 * G <= L * first u).
      { apply Rle_trans with (L * (3 / 4 * (a * eta * G))). 2: apply Rmult_le_compat_l; lra.
        replace (L * (3 / 4 * (a * eta * G))) with (3 / 4 * (a * (L * eta)) * G) by ring. apply Rmult_le_compat_r. lra.
        assert (3 <= a * (L * eta)) by nra. lra. }
      assert (C : centre true u - t <= 0).
      { unfold centre, slope, marked_slope. rewrite kink_far by lra. unfold t, first.
        replace ((a * (eta * (G - u)) + a * (a * (eta * (G - u)) - eta * G)) / 2 - (a * a + a) / 2 * (eta * G))
          with (a * eta * ((1 + a) * - u - G) / 2) by field.
        assert ((1 + a) * - u <= G) by nra. nra. }
      unfold below. assert (normal_cdf ((centre true u - t) / s2) <= normal_cdf 0).
      { apply normal_cdf_le. unfold Rdiv. pose proof (Rinv_0_lt_compat _ s2_pos). nra. }
      rewrite normal_cdf_0 in *. lra. }
    pose proof (integral_le _ _ _ _ Q M I) as B. rewrite normal_cdf_opp in B.
    assert (K2 : 2 <= G / 4 / sigma).
    { apply (Rmult_le_reg_r (4 * sigma)). lra. replace (G / 4 / sigma * (4 * sigma)) with G by (field; lra). lra. }
    pose proof (normal_cdf_upper (G / 4 / sigma) ltac:(lra)) as U. rewrite normal_cdf_opp in U.
    assert (E : exp (- (G / 4 / sigma * (G / 4 / sigma) / 2)) <= / 2).
    { apply Rle_trans with (exp (- (1))). apply exp_le. nra. rewrite exp_Ropp. apply Rinv_le_contravar. lra.
      pose proof (exp_ineq1_le 1). lra. }
    lra.
  Qed.
  (** Noise below G / 8, and little enough for n records. *)
  Theorem sampled_index_shows eps del : 8 * sigma <= G ->
    exp eps * (exp (- (G * G / (10 * (sigma * sigma)))) / 2) + del < 1 / (4 * INR n) ->
    ~ private (neighbours_of_size n) eps del
        (fun data => inner_steps (marked_slope G L) prox eta sigma data 2 0 0 0 (fun total _ => point (total / 2))).
  Proof.
    intros K H. destruct (below_integrable true) as [P1 I1]. pose proof (marked_large P1 I1 K) as B1.
    assert (n1 : 1 <= INR n) by (apply (le_INR 1); lia). assert (nm : 0 <= INR (n - 1)) by apply pos_INR.
    assert (T0 : 0 < tail). { unfold tail. pose proof (normal_cdf_bounds (a * eta * G / 2 / spread)). lra. }
    pose proof (tail_small ltac:(lra)) as TS. pose proof (exp_pos eps) as X.
    assert (V1 : forall u, (below true u + INR (n - 1) * below false u) / INR n
      = Finite.sum_over (with_mark n) (fun i => below i u) / INR (length (with_mark n))).
    { intros u. unfold with_mark. simpl length. simpl Finite.sum_over. rewrite repeat_length, sum_over_repeat. do 3 f_equal. lia. }
    assert (V2 : forall u, below false u = Finite.sum_over (without_mark n) (fun i => below i u) / INR (length (without_mark n))).
    { intros u. unfold without_mark. simpl length. simpl Finite.sum_over. rewrite repeat_length, sum_over_repeat.
      replace (Datatypes.S (n - 1)) with n by lia. rewrite minus_INR by lia. simpl (INR 1). field. lra. }
    assert (I2 : integral (fun u => (below true u + INR (n - 1) * below false u) / INR n * normal 0 sigma u) ((P1 + INR (n - 1) * tail) / INR n)).
    { pose proof (integral_scal _ (/ INR n) _ (integral_plus _ _ _ _ I1 (integral_scal _ (INR (n - 1)) _ unmarked))) as J.
      replace ((P1 + INR (n - 1) * tail) / INR n) with (/ INR n * (P1 + INR (n - 1) * tail)) by (field; lra).
      refine (integral_ext _ _ _ _ J). intros u. field. lra. }
    refine (event_refutes _ eps del _ _ _ S _ _ (marked_neighbours n n0)
      (two_steps (with_mark n) _ _ ltac:(discriminate) V1 I2) (two_steps (without_mark n) _ _ ltac:(discriminate) V2 unmarked) _).
    apply Rlt_le_trans with (1 / (4 * INR n)).
    - apply Rle_lt_trans with (2 := H). apply Rplus_le_compat_r, Rmult_le_compat_l; lra.
    - apply (Rmult_le_reg_r (4 * INR n)). lra. replace (1 / (4 * INR n) * (4 * INR n)) with 1 by (field; lra).
      replace ((P1 + INR (n - 1) * tail) / INR n * (4 * INR n)) with (4 * (P1 + INR (n - 1) * tail)) by (field; lra). nra.
  Qed.
End TwoSteps.
