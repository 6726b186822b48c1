(** * Non-convex risk under the KL condition: Theorem 1 (KL Spider) at kappa = 2

    Neighbours differ in one record (replace-one); dimension one.
    Theorem 1 [theorem_1]: Algorithm 1 is rho-zCDP.  The hypotheses are asked of both data sets: losses that are
    L0-Lipschitz and L1-smooth on the ball that the run stays in, the KL inequality F - min F <= gamma^2 |F'|^2, a bound
    F0 on F(w0) - min F, at most (L0 gamma)^2.  At kappa = 2 every round has T_k = 1, so at most two steps.
    Refuted by one round (K = 1) on a quadratic with one linear record: the output's sign shows on which side of the
    threshold the noisy gradient was.  The event: the output is negative; order 2, rho = 1/100, n = 10^5. *)
From Coq Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From Dpref Require Import Improper Density Erfc Gaussian.
From Dpref Require Finite.
From Dpref.negations Require Import Laws HalfLines Criteria Losses.
Import ListNotations.
Open Scope R_scope.

(** ** Algorithm 1 at kappa = 2, d = 1 *)

Section Algorithm.
  Variables (slope : R -> R) (rho beta w0 F0 gamma L0 L1 : R) (n : nat).
  (** Lines 2 to 4: the decrease c, the number of rounds (a real number), beta' and the noise of a full gradient. *)
  Definition decrease : R := 1 + 1 / (64 * (gamma * gamma) * L1).
  Definition rounds : R := (1 + 64 * (gamma * gamma) * L1) * (ln F0 + 2 * ln (INR n * sqrt rho / (gamma * L0))).
  Definition full_noise : R := L0 * sqrt rounds / (INR n * sqrt rho).
  (** Line 6. *)
  Definition level_floor : R := 32 * gamma * L0 * sqrt (rounds * ln (1 / (beta / rounds))) / (INR n * sqrt rho).
  Definition next_level (level : R) : R := Rmax (level / decrease) (Rmin (level_floor * level_floor) F0).
  (** Lines 10 to 17: while the noisy gradient g is at least the threshold, at most [fuel] times, a step of fixed length;
      what goes on is the iterate before the last. *)
  Fixpoint spider_steps (level : R) (fuel : nat) (g before w : R) (next : R -> law R) : law R :=
    match fuel with
    | O => next before
    | S fuel =>
        if Rle_dec (7 / (8 * gamma) * sqrt level) (Rabs g) then
          let w' := w - sqrt level / (4 * gamma * L1 * Rabs g) * g in
          b <- gaussian 0 (sqrt level * sqrt rounds / (gamma * (INR n * sqrt rho)));
          spider_steps level fuel (g + (slope w' - slope w + b)) w w' next
        else next before
    end.
  Fixpoint spider_rounds (k : nat) (level w : R) : law R :=
    match k with
    | O => point w
    | S k =>
        b <- gaussian 0 full_noise;
        spider_steps (next_level level) 2 (slope w + b) w w (fun w => spider_rounds k (next_level level) w)
    end.
  (** [k] rounds, where [rounds] is the number k. *)
  Definition spider (k : nat) : law R := spider_rounds k F0 w0.
End Algorithm.

Definition within (radius w0 w : R) : Prop := Rabs (w - w0) <= radius.
Section Hypotheses.
  Context {X : Type}.
  Variables (f g : X -> R -> R).
  Definition risk (data : list X) (w : R) : R := mean (fun z => f z w) data.
  Definition slope_of (data : list X) (w : R) : R := mean (fun z => g z w) data.
  (** What Theorem 1 asks of a data set, with a minimum of its risk. *)
  Definition admissible (gamma L0 L1 F0 w0 radius : R) (data : list X) : Prop :=
    (forall z w, In z data -> is_derive (f z) w (g z w)) /\
    (forall z w, In z data -> within radius w0 w -> Rabs (g z w) <= L0) /\
    (forall z w w', In z data -> Rabs (g z w - g z w') <= L1 * Rabs (w - w')) /\
    exists least, (forall w, least <= risk data w) /\ risk data w0 - least <= F0 /\
      forall w, risk data w - least <= gamma * gamma * (slope_of data w * slope_of data w).
End Hypotheses.
Definition theorem_1 : Prop := forall (X : Type) (f g : X -> R -> R) rho beta w0 F0 gamma L0 L1 n k,
  0 < rho -> 0 < beta < 1 -> 0 < gamma -> 0 < L0 -> 0 < L1 -> 0 < F0 <= L0 * gamma * (L0 * gamma) -> (1 <= n)%nat ->
  rounds rho F0 gamma L0 L1 n = INR k ->
  concentrated (fun d d' => neighbours_of_size n d d' /\
      admissible f g gamma L0 L1 F0 w0 (INR k * sqrt F0 / (4 * gamma * L1)) d /\
      admissible f g gamma L0 L1 F0 w0 (INR k * sqrt F0 / (4 * gamma * L1)) d')
    rho (fun data => spider (slope_of g data) rho beta w0 F0 gamma L0 L1 n k).

(** ** Two cells at order 2 *)

Theorem two_cells_refute {D A} (neighbours : D -> D -> Prop) rho (M : D -> law A) d d' S P Q :
  neighbours d d' -> probability_is (M d) S P -> probability_is (M d') S Q ->
  probability_is (M d) (fun o => negb (S o)) (1 - P) -> probability_is (M d') (fun o => negb (S o)) (1 - Q) ->
  0 < P < 1 -> 0 < Q < 1 -> Q < P -> exp (2 * rho) < 1 + 4 * ((P - Q) * (P - Q)) -> ~ concentrated neighbours rho M.
Proof.
  intros N HP HQ HP' HQ' P0 Q0 O L Z.
  assert (C : forall m X X', probability_is m S X -> probability_is m (fun o => negb (S o)) X' ->
    cell_masses m (two_cells S) 2 (fun i => match i with 0%nat => X | _ => X' end)).
  { intros m X X' H H' i I. unfold probability_is in *.
    assert (E : forall T : A -> bool, (forall o, Nat.eqb (two_cells S o) i = T o) ->
      (fun o => Nat.eqb (two_cells S o) i) = T) by (intros T e; apply FunctionalExtensionality.functional_extensionality; auto).
    destruct i as [ | [ | i]]; [rewrite (E S) | rewrite (E (fun o => negb (S o))) | lia]; auto;
      intros o; unfold two_cells; now destruct (S o). }
  destruct (Z d d' 2 N ltac:(lra) 2%nat (two_cells S) _ _ ltac:(intros o; unfold two_cells; destruct (S o); lia)
    (C _ _ _ HP HP') (C _ _ _ HQ HQ')) as [_ B].
  unfold Finite.moment in B. simpl in B. replace (2 - 1) with 1 in B by lra.
  rewrite !Rpower_1 in B by (apply Rdiv_lt_0_compat; lra). replace (1 * (rho * 2)) with (2 * rho) in B by ring.
  assert (E : P * (P / Q) + ((1 - P) * ((1 - P) / (1 - Q)) + 0) = 1 + (P - Q) * (P - Q) / (Q * (1 - Q))) by (field; lra).
  rewrite E in B. assert (V : 4 * ((P - Q) * (P - Q)) <= (P - Q) * (P - Q) / (Q * (1 - Q))).
  { assert (K : 0 < Q * (1 - Q)) by nra. apply (Rmult_le_reg_r (Q * (1 - Q))); auto.
    replace ((P - Q) * (P - Q) / (Q * (1 - Q)) * (Q * (1 - Q))) with ((P - Q) * (P - Q)) by (field; lra).
    pose proof (Rle_0_sqr (Q - 1 / 2)) as S1. pose proof (Rle_0_sqr (P - Q)) as S2. unfold Rsqr in *. nra. }
  lra.
Qed.

(** ** One round *)

Definition negative_output (w : R) : bool := if Rlt_dec w 0 then true else false.
Section OneRound.
  (** Level F0 = f^2, threshold 7 f / 8, step f / 4, curvature h, noises s of the full gradient and q of a difference. *)
  Variables (h c x rho F0 f s q m : R) (n : nat).
  Hypothesis (f0 : 0 < f) (s0 : 0 < s) (q0 : 0 < q) (h_range : 0 <= h <= 1) (m_range : 0 < m <= f).
  Hypothesis root : sqrt F0 = f.
  Hypothesis inner_noise : sqrt F0 * sqrt (rounds rho F0 1 1 1 n) / (1 * (INR n * sqrt rho)) = q.
  Let slope (w : R) := x + h * (w - c).
  Let thr := 7 / 8 * f.
  Let steps fuel g before w : law R := spider_steps slope rho F0 1 1 1 n F0 fuel g before w (fun w => point w).
  Let constant v : integral (fun b => v * normal 0 q b) v.
  Proof. pose proof (integral_scal _ v _ (normal_integral 0 q q0)) as I. now rewrite Rmult_1_r in I. Qed.
  Let last_step S g before w : probability_is (steps 1 g before w) S (if Rle_dec thr (Rabs g) then indicator S w else indicator S before).
  Proof.
    unfold steps. simpl spider_steps. rewrite root. replace (7 / (8 * 1) * f) with thr by (unfold thr; field).
    destruct (Rle_dec thr (Rabs g)). 2: reflexivity.
    exists (fun _ => indicator S w). split. reflexivity. rewrite <- root, inner_noise. apply constant.
  Qed.
  (** From the noisy gradient g, the chance that the second step is made. *)
  Let after (g : R) := normal_cdf ((g - h * f / 4 - thr) / q) + normal_cdf ((- thr - (g - h * f / 4)) / q).
  Let after_integral g a1 a0 : integral (fun b =>
      (if Rle_dec thr (Rabs (g - h * f / 4 + b)) then a1 else a0) * normal 0 q b) (a0 + (a1 - a0) * after g).
  Proof.
    set (u := g - h * f / 4). pose proof (normal_integral 0 q q0) as N.
    pose proof (normal_before 0 q (thr - u) q0) as B. pose proof (normal_beyond 0 q (- thr - u) q0) as C. unfold probability in B, C.
    pose proof (integral_plus _ _ _ _ (integral_scal _ a1 _ N) (integral_scal _ (a0 - a1) _
      (integral_minus _ _ _ _ (integral_plus _ _ _ _ B C) N))) as I.
    replace (a0 + (a1 - a0) * after g) with (a1 * 1 + (a0 - a1) * (normal_cdf ((thr - u - 0) / q) + normal_cdf ((0 - (- thr - u)) / q) - 1)).
    - refine (integral_ext _ _ _ _ I). intros b. unfold restricted, before, beyond. assert (t0 : 0 < thr) by (unfold thr; lra).
      destruct (Rlt_dec b (thr - u)) as [h1 | h1], (Rlt_dec (- thr - u) b) as [h2 | h2], (Rle_dec thr (Rabs (u + b))) as [h3 | h3];
        unfold Rabs in h3; destruct (Rcase_abs (u + b)); try lra.
    - unfold after. fold u. replace ((thr - u - 0) / q) with (- ((u - thr) / q)) by (field; lra).
      replace ((0 - (- thr - u)) / q) with (- ((- thr - u) / q)) by (field; lra). rewrite !normal_cdf_opp. ring.
  Qed.
  Let z0 := thr - slope 0.
  Let V (z : R) := if Rle_dec z0 z then after (slope 0 + z) else 0.
  Let round_value S z : indicator S (f / 4) = indicator S 0 -> probability_is (steps 2 (slope 0 + z) 0 0) S
    (indicator S 0 + (indicator S (- (f / 4)) - indicator S 0) * V z).
  Proof.
    intros E. set (g := slope 0 + z). assert (t0 : 0 < thr) by (unfold thr; lra).
    unfold steps. change (spider_steps slope rho F0 1 1 1 n F0 2 g 0 0 (fun w => point w)) with
      (if Rle_dec (7 / (8 * 1) * sqrt F0) (Rabs g) then
         b <- gaussian 0 (sqrt F0 * sqrt (rounds rho F0 1 1 1 n) / (1 * (INR n * sqrt rho)));
         steps 1 (g + (slope (0 - sqrt F0 / (4 * 1 * 1 * Rabs g) * g) - slope 0 + b)) 0 (0 - sqrt F0 / (4 * 1 * 1 * Rabs g) * g)
       else point 0).
    rewrite inner_noise, root. replace (7 / (8 * 1) * f) with thr by (unfold thr; field). unfold V, z0. fold g.
    destruct (Rle_dec thr (Rabs g)) as [H | H], (Rle_dec (thr - slope 0) z) as [K | K].
    - assert (G : 0 < g) by (unfold g; lra). rewrite (Rabs_pos_eq g) by lra.
      assert (W : 0 - f / (4 * 1 * 1 * g) * g = - (f / 4)) by (field; lra). rewrite W.
      exists (fun b => if Rle_dec thr (Rabs (g - h * f / 4 + b)) then indicator S (- (f / 4)) else indicator S 0). split.
      + intros b. replace (g + (slope (- (f / 4)) - slope 0 + b)) with (g - h * f / 4 + b) by (unfold slope; field). apply last_step.
      + apply after_integral.
    - assert (G : g < 0). { unfold Rabs in H. destruct (Rcase_abs g); unfold g in *; lra. } rewrite (Rabs_left g) by lra.
      assert (W : 0 - f / (4 * 1 * 1 * - g) * g = f / 4) by (field; lra). rewrite W, Rmult_0_r, Rplus_0_r.
      exists (fun _ => indicator S 0). split. 2: apply constant. intros b.
      pose proof (last_step S (g + (slope (f / 4) - slope 0 + b)) 0 (f / 4)) as L. rewrite E in L. now destruct (Rle_dec thr _) in L.
    - exfalso. apply H. rewrite Rabs_pos_eq; unfold g; lra.
    - rewrite Rmult_0_r, Rplus_0_r. reflexivity.
  Qed.
  Let after_bounds g : 0 < after g <= 1.
  Proof.
    unfold after. pose proof (normal_cdf_bounds ((g - h * f / 4 - thr) / q)). pose proof (normal_cdf_bounds ((- thr - (g - h * f / 4)) / q)).
    assert (normal_cdf ((- thr - (g - h * f / 4)) / q) <= normal_cdf (- ((g - h * f / 4 - thr) / q))).
    { apply normal_cdf_le. replace (- ((g - h * f / 4 - thr) / q)) with ((- (g - h * f / 4) + thr) / q) by (field; lra).
      apply Rmult_le_compat_r. left; now apply Rinv_0_lt_compat. unfold thr. lra. }
    rewrite normal_cdf_opp in *. lra.
  Qed.
  Let V_integral : exists P, integral (fun z => V z * normal 0 s z) P.
  Proof.
    assert (C : forall z, continuous (fun z => after (slope 0 + z) * normal 0 s z) z).
    { intros z. apply (continuous_mult (fun z => after (slope 0 + z)) (normal 0 s)). 2: now apply continuous_normal.
      apply (continuous_plus (fun z => normal_cdf ((slope 0 + z - h * f / 4 - thr) / q)) (fun z => normal_cdf ((- thr - (slope 0 + z - h * f / 4)) / q))).
      - apply (ex_derive_continuous (fun z => normal_cdf ((slope 0 + z - h * f / 4 - thr) / q))).
        apply (ex_derive_comp normal_cdf). eexists; apply is_derive_normal_cdf. auto_derive. lra.
      - apply (ex_derive_continuous (fun z => normal_cdf ((- thr - (slope 0 + z - h * f / 4)) / q))).
        apply (ex_derive_comp normal_cdf). eexists; apply is_derive_normal_cdf. auto_derive. lra. }
    assert (B : forall z, 0 <= after (slope 0 + z) * normal 0 s z <= normal 0 s z).
    { intros z. pose proof (after_bounds (slope 0 + z)). pose proof (normal_positive 0 s z s0). nra. }
    destruct (@gen_dominated _ _ _ _ (fun z => after (slope 0 + z) * normal 0 s z) (normal 0 s) _ (ordered_above z0)
      (fun a b => ex_RInt_continuous (V := R_CompleteNormedModule) _ a b (fun z _ => C z)) (integrable_normal 0 s s0) B
      (normal_above 0 s z0 s0)) as [P H].
    exists P. refine (integral_of_above z0 _ _ _ _ _ H); intros z Z; unfold V; destruct (Rle_dec z0 z); try lra.
  Qed.
  Let centre := thr + h * f / 4 - slope 0.
  Lemma round_probability : exists P,
    probability_is (b <- gaussian 0 s; steps 2 (slope 0 + b) 0 0) negative_output P /\
    probability_is (b <- gaussian 0 s; steps 2 (slope 0 + b) 0 0) (fun w => negb (negative_output w)) (1 - P) /\
    normal_cdf (m / q) * normal_cdf (- (centre + m) / s) <= P <= normal_cdf (- (centre - m) / s) + 2 * normal_cdf (- (m / q)).
  Proof.
    destruct V_integral as [P I]. exists P. pose proof (normal_integral 0 s s0) as N.
    assert (iq : 0 < / q) by now apply Rinv_0_lt_compat. assert (hf : 0 <= h * f <= f) by nra.
    assert (E0 : indicator negative_output 0 = 0) by (unfold indicator, negative_output; destruct (Rlt_dec 0 0); lra).
    assert (E1 : indicator negative_output (f / 4) = 0) by (unfold indicator, negative_output; destruct (Rlt_dec (f / 4) 0); lra).
    assert (E2 : indicator negative_output (- (f / 4)) = 1) by (unfold indicator, negative_output; destruct (Rlt_dec (- (f / 4)) 0); lra).
    assert (E3 : forall w, indicator (fun w => negb (negative_output w)) w = 1 - indicator negative_output w).
    { intros w. unfold indicator. destruct (negative_output w); simpl; ring. }
    split; [ | split].
    - exists V. split. 2: exact I. intros z. pose proof (round_value negative_output z ltac:(lra)) as H.
      rewrite E0, E2 in H. now replace (0 + (1 - 0) * V z) with (V z) in H by ring.
    - exists (fun z => 1 - V z). split.
      + intros z. pose proof (round_value (fun w => negb (negative_output w)) z ltac:(rewrite !E3; lra)) as H.
        rewrite !E3, E0, E2 in H. now replace (1 - 0 + (1 - 1 - (1 - 0)) * V z) with (1 - V z) in H by ring.
      + refine (integral_ext _ _ _ _ (integral_minus _ _ _ _ N I)). intros z. ring.
    - pose proof (normal_beyond 0 s (centre + m) s0) as A. pose proof (normal_beyond 0 s (centre - m) s0) as B. unfold probability in A, B.
      replace ((0 - (centre + m)) / s) with (- (centre + m) / s) in A by (field; lra).
      replace ((0 - (centre - m)) / s) with (- (centre - m) / s) in B by (field; lra).
      pose proof (integral_scal _ (normal_cdf (m / q)) _ A) as A'.
      pose proof (integral_plus _ _ _ _ B (integral_scal _ (2 * normal_cdf (- (m / q))) _ N)) as B'.
      rewrite Rmult_1_r in B'. pose proof (normal_cdf_bounds (m / q)) as M1. pose proof (normal_cdf_bounds (- (m / q))) as M2.
      split.
      + refine (integral_le _ _ _ _ _ A' I). intros z. pose proof (normal_positive 0 s z s0) as Z. unfold restricted, beyond, V, z0.
        destruct (Rlt_dec (centre + m) z) as [K | K].
        * destruct (Rle_dec (thr - slope 0) z) as [J | J]. 2: unfold centre in K; lra.
          apply Rmult_le_compat_r. lra. unfold after. pose proof (normal_cdf_bounds ((- thr - (slope 0 + z - h * f / 4)) / q)).
          enough (normal_cdf (m / q) <= normal_cdf ((slope 0 + z - h * f / 4 - thr) / q)) by lra. apply normal_cdf_le.
          apply Rmult_le_compat_r. lra. unfold centre in K. lra.
        * rewrite Rmult_0_r. destruct (Rle_dec (thr - slope 0) z). pose proof (after_bounds (slope 0 + z)). nra. lra.
      + refine (integral_le _ _ _ _ _ I B'). intros z. pose proof (normal_positive 0 s z s0) as Z. unfold restricted, beyond, V, z0.
        destruct (Rle_dec (thr - slope 0) z) as [J | J].
        2: { destruct (Rlt_dec (centre - m) z); nra. }
        destruct (Rlt_dec (centre - m) z) as [K | K].
        * pose proof (after_bounds (slope 0 + z)). nra.
        * rewrite Rplus_0_l. apply Rmult_le_compat_r. lra. unfold after.
          assert (normal_cdf ((slope 0 + z - h * f / 4 - thr) / q) <= normal_cdf (- (m / q))).
          { apply normal_cdf_le. replace (- (m / q)) with (- m / q) by (field; lra). apply Rmult_le_compat_r. lra. unfold centre in K. lra. }
          assert (normal_cdf ((- thr - (slope 0 + z - h * f / 4)) / q) <= normal_cdf (- (m / q))).
          { apply normal_cdf_le. replace (- (m / q)) with (- m / q) by (field; lra). apply Rmult_le_compat_r. lra. unfold thr in *. lra. }
          lra.
  Qed.
End OneRound.
