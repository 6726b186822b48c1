(** * Non-convex risk under the KL condition: Algorithm 3 (adaptive noisy gradient descent) and what its steps show

    Dimension one.  The algorithm as printed, and its run on losses with a constant slope: the chance that the first k
    released steps lie in an interval exists, whatever the noisy norms, which decide the noise and when the run ends,
    were; it has bounds from both sides.  KlCondition.v refutes Theorem 1, KlShortSteps.v Theorem 3 with what is here. *)
From Coq Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From Dpref Require Import Improper Density Erfc Gaussian.
From Dpref Require Finite.
From Dpref.negations Require Import Laws HalfLines Criteria Losses RiseAndFall.
Import ListNotations.
Open Scope R_scope.

(** ** Algorithm 3, d = 1 *)

Section Algorithm.
  Variables (slope : R -> R) (rho beta L0 L1 : R) (n : nat).
  Definition logarithm : R := ln (INR n * sqrt rho / beta).
  (** Line 3: the noise of the norm, L0 / (sqrt n rho^(1/4)). *)
  Definition norm_noise : R := L0 / (sqrt (INR n) * sqrt (sqrt rho)).
  (** Line 4: the noise of the gradient. *)
  Definition step_noise (N : R) : R := Rmax (N / sqrt logarithm) (2 * L0 / (INR n * sqrt rho)).
  (** Line 6, min (L0^2 log / (n^2 N^2), rho / 2) + sqrt rho / n: the first where it is below the second. *)
  Definition recorded (N : R) : R :=
    let whole := L0 * L0 * logarithm / (INR n * INR n) in
    (if Rle_dec (rho / 2 * (N * N)) whole then rho / 2 else whole / (N * N)) + sqrt rho / INR n.
  (** Lines 2 to 8, at most [fuel] rounds, from w with [spent] recorded: w_t is released when its round begins. *)
  Fixpoint adaptive (fuel : nat) (spent w : R) : law (list R) :=
    match fuel with
    | O => point []
    | S fuel =>
        a <- gaussian 0 norm_noise;
        let N := Rabs (slope w) + a in
        b <- gaussian 0 (step_noise N);
        let w' := w - 1 / (2 * L1) * (slope w + b) in
        rest <- (if Rle_dec (spent + recorded N) (rho / 2) then adaptive fuel (spent + recorded N) w' else point []);
        point (w :: rest)
    end.
End Algorithm.

(** ** Laws: sums, and the complement of an event *)

Definition linear {A} (m : law A) : Prop := forall f g u v a b, m f u -> m g v -> m (fun x => a * f x + b * g x) (a * u + b * v).
Lemma linear_point {A} (a : A) : linear (point a).
Proof. intros f g u v p q H K. unfold point in *. now rewrite H, K. Qed.
Lemma linear_gaussian mu s : linear (gaussian mu s).
Proof.
  intros f g u v p q H K. refine (integral_ext _ _ _ _ (integral_plus _ _ _ _ (integral_scal _ p _ H) (integral_scal _ q _ K))).
  intros x. ring.
Qed.
Lemma linear_bind {A B} (m : law A) (k : A -> law B) : linear m -> (forall a, linear (k a)) -> linear (bind m k).
Proof.
  intros M K f g u v p q (h & H & I) (h' & H' & I'). exists (fun a => p * h a + q * h' a). split.
  intros a. now apply K. now apply M.
Qed.
Lemma complement {A} (m : law A) S P : linear m -> m (fun _ => 1) 1 -> probability_is m S P ->
  probability_is m (fun x => negb (S x)) (1 - P).
Proof.
  intros L T H. pose proof (L _ _ _ _ 1 (- 1) T H) as K. replace (1 * 1 + - 1 * P) with (1 - P) in K by ring.
  unfold probability_is. replace (indicator (fun x => negb (S x))) with (fun x => 1 * 1 + - 1 * indicator S x). exact K.
  apply FunctionalExtensionality.functional_extensionality. intros x. unfold indicator. destruct (S x); simpl; ring.
Qed.

(** ** Runs on losses with a constant slope *)

Section Runs.
  Variables (s rho beta L0 L1 low high : R) (n : nat).
  Let run := adaptive (fun _ => s) rho beta L0 L1 n.
  Let noise := norm_noise rho L0 n.
  Let step := step_noise rho beta L0 n.
  Let charge := recorded rho beta L0 n.
  Hypothesis (rho0 : 0 < rho) (L1_0 : 0 < L1) (noise0 : 0 < noise) (step0 : forall N, 0 < step N) (window : low <= high).
  Hypothesis (log0 : 0 < logarithm rho beta n) (L0_0 : 0 < L0) (n0 : (1 <= n)%nat).
  Lemma linear_run rounds : forall spent w, linear (run rounds spent w).
  Proof.
    induction rounds as [ | k IH]; intros spent w. apply linear_point. simpl. apply linear_bind. apply linear_gaussian. intros a.
    apply linear_bind. apply linear_gaussian. intros b. apply linear_bind. 2: intros; apply linear_point.
    destruct (Rle_dec _ (rho / 2)). apply IH. apply linear_point.
  Qed.
  Let constant_integral c sigma : 0 < sigma -> integral (fun x => c * normal 0 sigma x) c.
  Proof. intros S0. pose proof (integral_scal _ c _ (normal_integral 0 sigma S0)) as I. now rewrite Rmult_1_r in I. Qed.
  Lemma constant_run rounds : forall spent w F c, F [] = c -> (forall rest, F (w :: rest) = c) -> run rounds spent w F c.
  Proof.
    induction rounds as [ | k IH]; intros spent w F c E H. exact E.
    exists (fun _ => c). split. 2: exact (constant_integral c _ noise0). intros a. exists (fun _ => c). split.
    2: exact (constant_integral c _ (step0 _)).
    intros b. exists (fun rest => F (w :: rest)). split. reflexivity.
    destruct (Rle_dec _ (rho / 2)). now apply IH. apply H.
  Qed.
  (** The first k steps lie between [low] and [high]. *)
  Definition inside (x : R) : bool := (before high x && negb (before low x))%bool.
  Fixpoint seen (k : nat) (released : list R) : bool :=
    match k, released with
    | O, _ :: _ => true
    | S k, w :: ((w' :: _) as rest) => (inside (2 * L1 * (w - w')) && seen k rest)%bool
    | _, _ => false
    end.
  Definition within (N : R) : R := normal_cdf ((high - s) / step N) - normal_cdf ((low - s) / step N).
  Definition goes_on (next : R -> R) (spent : R) : R := if Rle_dec spent (rho / 2) then next spent else 0.
  Fixpoint chance (k : nat) (spent : R) : R :=
    match k with
    | O => 1
    | S k => RInt_gen (fun a => goes_on (chance k) (spent + charge (Rabs s + a)) * (within (Rabs s + a) * normal 0 noise a))
        minus_infinity plus_infinity
    end.
  Let within_range N : 0 <= within N <= 1.
  Proof.
    unfold within. pose proof (normal_cdf_bounds ((high - s) / step N)). pose proof (normal_cdf_bounds ((low - s) / step N)).
    assert (normal_cdf ((low - s) / step N) <= normal_cdf ((high - s) / step N)).
    { apply normal_cdf_le. apply Rmult_le_compat_r. left; now apply Rinv_0_lt_compat. lra. }
    lra.
  Qed.
  Let charge_falls N M : Rabs N <= Rabs M -> charge M <= charge N.
  Proof.
    intros H. unfold charge, recorded. apply Rplus_le_compat_r. set (c := L0 * L0 * logarithm rho beta n / (INR n * INR n)).
    assert (C : 0 < c). { unfold c. pose proof (INR_pos n n0). apply Rdiv_lt_0_compat; repeat apply Rmult_lt_0_compat; auto. }
    assert (Q : N * N <= M * M) by (apply Rsqr_le_abs_1 in H; exact H). assert (0 <= N * N) by nra.
    destruct (Rle_dec (rho / 2 * (M * M)) c) as [a | a], (Rle_dec (rho / 2 * (N * N)) c) as [b | b]; try lra.
    - exfalso. apply b. apply Rle_trans with (2 := a). apply Rmult_le_compat_l; lra.
    - assert (M0 : 0 < M * M) by nra. apply (Rmult_le_reg_r (M * M)); auto. replace (c / (M * M) * (M * M)) with c by (field; nra). lra.
    - assert (N0 : 0 < N * N) by nra. apply Rmult_le_compat_l. lra. apply Rinv_le_contravar; auto.
  Qed.
  Let continuous_within N : continuous within N.
  Proof.
    assert (D : forall t, continuous (fun N => normal_cdf ((t - s) / step N)) N).
    { intros t. apply (continuous_comp (fun N => (t - s) / step N) normal_cdf).
      2: { apply (ex_derive_continuous normal_cdf). eexists; apply is_derive_normal_cdf. }
      apply (continuous_mult (fun _ => t - s) (fun N => / step N)). apply continuous_const.
      apply (continuous_comp step Rinv). 2: { apply (ex_derive_continuous Rinv). auto_derive. apply Rgt_not_eq, step0. }
      unfold step, step_noise. set (r := / sqrt (logarithm rho beta n)). set (l := 2 * L0 / (INR n * sqrt rho)).
      apply (continuous_ext (fun x => (x * r + l + Rabs (x * r - l)) * / 2)).
      { intros x. unfold Rdiv. fold r. unfold Rmax. destruct (Rle_dec (x * r) l);
        [rewrite Rabs_left1 by lra | rewrite Rabs_pos_eq by lra]; match goal with |- ?u = ?v => change (@eq R u v) end; field. }
      apply (continuous_mult (fun x => x * r + l + Rabs (x * r - l)) (fun _ => / 2)). 2: apply continuous_const.
      apply (continuous_plus (fun x => x * r + l) (fun x => Rabs (x * r - l))).
      apply (ex_derive_continuous (fun x => x * r + l)). auto_derive. auto.
      apply (continuous_comp (fun x => x * r - l) Rabs). apply (ex_derive_continuous (fun x => x * r - l)). auto_derive. auto.
      apply continuous_Rabs. }
    apply (continuous_minus (fun N => normal_cdf ((high - s) / step N)) (fun N => normal_cdf ((low - s) / step N))); apply D.
  Qed.
  Let density_within a := within (Rabs s + a) * normal 0 noise a.
  Let density_range a : 0 <= density_within a <= normal 0 noise a.
  Proof. unfold density_within. pose proof (within_range (Rabs s + a)). pose proof (normal_positive 0 noise a noise0). nra. Qed.
  Let density_integrable : integrable_on_intervals density_within.
  Proof.
    intros x y. apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros a _. unfold density_within.
    apply (continuous_mult (fun a => within (Rabs s + a)) (normal 0 noise)). 2: now apply continuous_normal.
    apply (continuous_comp (fun a => Rabs s + a) within). apply (ex_derive_continuous (fun a => Rabs s + a)). auto_derive. auto.
    apply continuous_within.
  Qed.
  Let falls_goes_on next x y : (forall u, 0 <= next u <= 1) -> (forall u v, u <= v -> next v <= next u) -> x <= y ->
    0 <= goes_on next y <= goes_on next x /\ goes_on next x <= 1.
  Proof.
    intros N D L. unfold goes_on. destruct (Rle_dec x (rho / 2)), (Rle_dec y (rho / 2)); pose proof (N x); pose proof (N y); pose proof (D x y L); lra.
  Qed.
  Let average (next : R -> R) (spent : R) : R :=
    RInt_gen (fun a => goes_on next (spent + charge (Rabs s + a)) * density_within a) minus_infinity plus_infinity.
  Let average_is next : (forall u, 0 <= next u <= 1) -> (forall u v, u <= v -> next v <= next u) -> forall spent,
    integral (fun a => goes_on next (spent + charge (Rabs s + a)) * density_within a) (average next spent).
  Proof.
    intros N D spent. set (g := fun a => goes_on next (spent + charge (Rabs s + a))).
    assert (G : forall x y, Rabs (Rabs s + x) <= Rabs (Rabs s + y) -> g x <= g y /\ 0 <= g x /\ g y <= 1).
    { intros x y L. pose proof (charge_falls _ _ L) as C.
      pose proof (falls_goes_on next (spent + charge (Rabs s + y)) (spent + charge (Rabs s + x)) N D ltac:(lra)). unfold g. lra. }
    assert (Q : forall a, 0 <= 1 - g a <= 1) by (intros a; destruct (G a a (Rle_refl _)); lra).
    assert (P : peaked (- Rabs s) (fun a => 1 - g a)).
    { split; intros x y O; cbv beta.
      - assert (K : Rabs (Rabs s + y) <= Rabs (Rabs s + x)) by (rewrite (Rabs_left1 (_ + y)), (Rabs_left1 (_ + x)) by lra; lra).
        destruct (G y x K). lra.
      - assert (K : Rabs (Rabs s + x) <= Rabs (Rabs s + y)) by (rewrite (Rabs_pos_eq (_ + y)), (Rabs_pos_eq (_ + x)) by lra; lra).
        destruct (G x y K). lra. }
    assert (B : forall a, Rabs (density_within a) <= normal 0 noise 0).
    { intros a. destruct (density_range a) as [L U]. rewrite Rabs_pos_eq by auto. apply Rle_trans with (1 := U). now apply normal_at_most. }
    pose proof (peaked_integrable _ _ _ _ Q P density_integrable B) as I.
    assert (J : integrable_on_intervals (fun a => g a * density_within a)).
    { intros x y. apply (ex_RInt_ext (fun a => minus (density_within a) ((1 - g a) * density_within a))).
      - intros a _. unfold minus, plus, opp; simpl. ring.
      - apply (ex_RInt_minus (V := R_NormedModule)). apply density_integrable. apply I. }
    destruct (integral_dominated _ (normal 0 noise) 1 J (integrable_normal 0 noise noise0)) as [l H].
    - intros a. destruct (density_range a), (G a a (Rle_refl _)) as [_ [? ?]]. split. now apply Rmult_le_pos. nra.
    - now apply normal_integral.
    - unfold average. change (fun a => goes_on next (spent + charge (Rabs s + a)) * density_within a) with (fun a => g a * density_within a).
      replace (RInt_gen (fun a => g a * density_within a) minus_infinity plus_infinity) with l. exact H.
      symmetry. apply is_RInt_gen_unique. exact H.
  Qed.
  Let average_range next : (forall u, 0 <= next u <= 1) -> (forall u v, u <= v -> next v <= next u) ->
    (forall u, 0 <= average next u <= 1) /\ forall u v, u <= v -> average next v <= average next u.
  Proof.
    intros N D. pose proof (normal_integral 0 noise noise0) as I. split.
    - intros u. split.
      + refine (integral_pos _ _ _ (average_is next N D u)). intros a. destruct (density_range a).
        destruct (falls_goes_on next _ _ N D (Rle_refl (u + charge (Rabs s + a)))). now apply Rmult_le_pos.
      + refine (integral_le _ _ _ _ _ (average_is next N D u) I). intros a. destruct (density_range a).
        destruct (falls_goes_on next _ _ N D (Rle_refl (u + charge (Rabs s + a)))). nra.
    - intros u v L. refine (integral_le _ _ _ _ _ (average_is next N D v) (average_is next N D u)). intros a.
      destruct (density_range a). destruct (falls_goes_on next (u + charge (Rabs s + a)) (v + charge (Rabs s + a)) N D ltac:(lra)).
      now apply Rmult_le_compat_r.
  Qed.
  Lemma chance_range k : (forall u, 0 <= chance k u <= 1) /\ forall u v, u <= v -> chance k v <= chance k u.
  Proof. induction k as [ | k [N D]]. split; simpl; intros; lra. exact (average_range (chance k) N D). Qed.
  Lemma chance_is k spent :
    integral (fun a => goes_on (chance k) (spent + charge (Rabs s + a)) * (within (Rabs s + a) * normal 0 noise a)) (chance (S k) spent).
  Proof. destruct (chance_range k) as [N D]. exact (average_is (chance k) N D spent). Qed.
  (** The first k steps of a run with rounds enough. *)
  Lemma run_sees k : forall rounds spent w F, (k < rounds)%nat -> F [] = 0 ->
    (forall rest, F (w :: rest) = indicator (seen k) (w :: rest)) -> run rounds spent w F (chance k spent).
  Proof.
    induction k as [ | k IH]; intros rounds spent w F L E H.
    - destruct rounds as [ | rounds]. lia. exists (fun _ => 1). split. 2: exact (constant_integral 1 _ noise0).
      intros a. exists (fun _ => 1). split. 2: exact (constant_integral 1 _ (step0 _)). intros b. exists (fun rest => F (w :: rest)). split.
      reflexivity. destruct (Rle_dec _ (rho / 2)). apply constant_run. now rewrite H. intros; now rewrite H. unfold point. now rewrite H.
    - destruct rounds as [ | rounds]. lia.
      exists (fun a => goes_on (chance k) (spent + charge (Rabs s + a)) * within (Rabs s + a)). split.
      2: { apply (integral_ext (fun a => goes_on (chance k) (spent + charge (Rabs s + a)) * (within (Rabs s + a) * normal 0 noise a))).
           intros a. cbv beta. fold noise. ring. apply chance_is. }
      intros a. set (spent' := spent + charge (Rabs s + a)). set (sigma := step (Rabs s + a)). pose proof (step0 (Rabs s + a)) as S0. fold sigma in S0.
      exists (fun b => if inside (s + b) then goes_on (chance k) spent' else 0). split.
      + intros b. exists (fun rest => F (w :: rest)). split. reflexivity.
        assert (W : 2 * L1 * (w - (w - 1 / (2 * L1) * (s + b))) = s + b) by (field; lra).
        assert (E0 : F [w] = 0) by (rewrite H; reflexivity).
        unfold goes_on. change (spent + recorded rho beta L0 n (Rabs s + a)) with spent'.
        destruct (Rle_dec spent' (rho / 2)).
        * assert (V : forall rest, F (w :: (w - 1 / (2 * L1) * (s + b)) :: rest)
            = if inside (s + b) then indicator (seen k) ((w - 1 / (2 * L1) * (s + b)) :: rest) else 0).
          { intros rest. rewrite H. unfold indicator. cbn [seen]. rewrite W. destruct (inside (s + b)); reflexivity. }
          destruct (inside (s + b)).
          -- apply IH; auto. lia.
          -- now apply constant_run.
        * unfold point. rewrite E0. now destruct (inside (s + b)).
      + pose proof (normal_before 0 sigma (high - s) S0) as A. pose proof (normal_before 0 sigma (low - s) S0) as B. unfold probability in A, B.
        rewrite Rminus_0_r in A, B.
        refine (integral_ext _ _ _ _ (integral_scal _ (goes_on (chance k) spent') _ (integral_minus _ _ _ _ A B))).
        intros b. cbv beta. change (step_noise rho beta L0 n (Rabs s + a)) with sigma. unfold restricted, inside, before. destruct (Rlt_dec b (high - s)), (Rlt_dec b (low - s)), (Rlt_dec (s + b) high), (Rlt_dec (s + b) low); simpl; lra.
  Qed.
  Theorem run_probability k rounds w : (k < rounds)%nat ->
    probability_is (run rounds 0 w) (seen k) (chance k 0) /\ probability_is (run rounds 0 w) (fun l => negb (seen k l)) (1 - chance k 0).
  Proof.
    intros L. assert (H : probability_is (run rounds 0 w) (seen k) (chance k 0)).
    { apply run_sees; auto. unfold indicator. now destruct k. }
    split; auto. apply complement; auto. apply linear_run. now apply constant_run.
  Qed.
  (** At least: the norm's noise at most -t - |s|, where little is recorded and the noise is the least. *)
  Lemma chance_at_least k e t p : 0 <= e -> 0 <= p -> (forall N, N <= - t -> charge N <= e /\ p <= within N) ->
    forall j spent, (j <= k)%nat -> spent + INR j * e <= rho / 2 -> (p * normal_cdf ((- t - Rabs s) / noise)) ^ j <= chance j spent.
  Proof.
    intros E0 P0 H. induction j as [ | j IH]; intros spent L B. simpl; lra.
    pose proof (normal_before 0 noise (- t - Rabs s) noise0) as A. unfold probability in A. rewrite Rminus_0_r in A.
    set (q := normal_cdf ((- t - Rabs s) / noise)) in *. rewrite S_INR in B.
    pose proof (normal_cdf_bounds ((- t - Rabs s) / noise)) as Q. fold q in Q.
    replace ((p * q) ^ S j) with ((p * q) ^ j * p * q) by (simpl; ring). assert (T : 0 <= (p * q) ^ j) by (apply pow_le, Rmult_le_pos; lra).
    refine (integral_le _ _ _ _ _ (integral_scal _ ((p * q) ^ j * p) _ A) (chance_is j spent)). intros a.
    unfold restricted, before. pose proof (normal_positive 0 noise a noise0) as N0. pose proof (within_range (Rabs s + a)) as W.
    destruct (chance_range j) as [CR CD].
    destruct (falls_goes_on (chance j) _ _ CR CD (Rle_refl (spent + charge (Rabs s + a)))) as [[G _] _].
    destruct (Rlt_dec a (- t - Rabs s)) as [h | h].
    - destruct (H (Rabs s + a) ltac:(lra)) as [H1 H2]. pose proof (pos_INR j) as J.
      assert (U : spent + charge (Rabs s + a) + INR j * e <= rho / 2) by lra.
      assert (V : (p * q) ^ j <= goes_on (chance j) (spent + charge (Rabs s + a))).
      { unfold goes_on. destruct (Rle_dec _ (rho / 2)) as [_ | n']. apply IH; auto; lia. exfalso. apply n'. nra. }
      rewrite <- Rmult_assoc. apply Rmult_le_compat_r. lra. apply Rmult_le_compat; auto.
    - rewrite Rmult_0_r. apply Rmult_le_pos; auto. apply Rmult_le_pos; lra.
  Qed.
  (** At most: what a step shows on average, whatever is recorded. *)
  Lemma chance_at_most q : integral density_within q -> forall j spent, chance j spent <= q ^ j.
  Proof.
    intros I. assert (Q : 0 <= q) by (refine (integral_pos _ _ _ I); intros a; apply density_range).
    induction j as [ | j IH]; intros spent. simpl; lra. destruct (chance_range j) as [CR CD].
    replace (q ^ S j) with (q ^ j * q) by (simpl; ring). refine (integral_le _ _ _ _ _ (chance_is j spent) (integral_scal _ (q ^ j) _ I)).
    intros a. unfold density_within. destruct (density_range a) as [D0 _]. apply Rmult_le_compat_r; auto.
    unfold goes_on. destruct (Rle_dec _ (rho / 2)). apply IH. now apply pow_le.
  Qed.
  Lemma density_is : exists q, integral density_within q.
  Proof. apply (integral_dominated _ (normal 0 noise) 1 density_integrable (integrable_normal 0 noise noise0) density_range). now apply normal_integral. Qed.
End Runs.
