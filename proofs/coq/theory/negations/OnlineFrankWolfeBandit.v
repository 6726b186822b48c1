(** * Private online Frank-Wolfe: Theorem 4.1 (DP-HDB is jointly private)

    Theorem 4.1 [theorem_4_1]: Algorithm 3 is (epsilon, delta)-jointly private (Definition 4.1): where one entry of
    the stream changes, the actions after it have close laws.  No condition on epsilon, delta or the horizon T.
    Here with two arms and in dimension one, where the l1 ball is the segment [-radius, radius] with two vertices; each
    arm runs Algorithm 2 with the horizon T in the noise of line 8.  The losses are those of the generalised linear
    model, their gradient (zeta(X theta) - r) X; contexts are bounded by 1, gradients by L.
    Refuted at T = 3 and one warm-up round an arm, with a delta near 1 and every epsilon from 4 on: the reward of the
    first round decides the vertex of the first arm, and with it the third action.  (At usual deltas the certificate of
    the claim sums over longer streams; it is no theorem here.) *)
From Coq Require Import Reals Lra Lia List Bool.
From Coquelicot Require Import Coquelicot.
From Dpref Require Import Improper Density Erfc Gaussian Laplace NoisyMax.
From Dpref.negations Require Import Laws HalfLines Losses OnlineFrankWolfeChoice.
Import ListNotations.
Open Scope R_scope.

(** ** Algorithm 2 on the rows of one arm, and Algorithm 3 *)

(** The gradient of the loss at a row: a context and a reward. *)
Definition glm_slope (zeta : R -> R) (row : R * R) (x : R) : R := (zeta (fst row * x) - snd row) * fst row.
(** What an arm holds: its estimate, the one before, and the direction d. *)
Record arm : Type := Arm { estimate : R; earlier : R; direction : R }.
Definition fresh : arm := Arm 0 0 0.
(** Lines 8 and 9: the vertex with the least noisy score. *)
Definition vertex (radius d scale : R) : law R :=
  low <- laplace_noise scale;
  high <- laplace_noise scale;
  point (if Rle_dec (d * - radius + low) (d * radius + high) then - radius else radius).
(** The t-th step of Algorithm 2, lines 3 to 10. *)
Definition update (zeta : R -> R) (radius : R) (scale : nat -> R) (row : R * R) (t : nat) (a : arm) : law arm :=
  let rho := 1 / (1 + INR t) in
  let d := match t with
    | 1%nat => glm_slope zeta row (estimate a)
    | _ => glm_slope zeta row (estimate a) + (1 - rho) * (direction a - glm_slope zeta row (earlier a))
    end in
  v <- vertex radius d (scale t);
  point (Arm (estimate a + rho * (v - estimate a)) (estimate a) d).
Fixpoint warm_up zeta radius scale (rows : list (R * R)) (t : nat) (a : arm) : law arm :=
  match rows with
  | [] => point a
  | row :: rows => a <- update zeta radius scale row t a; warm_up zeta radius scale rows (S t) a
  end.

Section Bandit.
  Context {X : Type} (context : X -> R) (reward : X -> bool -> R) (zeta : R -> R) (radius : R) (scale : nat -> R) (gap : R).
  (** Lines 13 and 14: arms within half the gap of the best after the warm-up, and of these the best by now. *)
  Definition chosen (z : X) (explored arms : bool -> arm) : bool :=
    let score (a : bool -> arm) i := zeta (context z * estimate (a i)) in
    let kept i := if Rlt_dec (Rmax (score explored false) (score explored true) - gap / 2) (score explored i) then true else false in
    let second := if Rlt_dec (score arms false) (score arms true) then true else false in
    if kept false then kept true && second else true.
  (** Line 16: the arm that was pulled gets the row, the other one a synthetic row. *)
  Definition row_for (z : X) (pulled i : bool) : R * R := if Bool.eqb pulled i then (context z, reward z i) else (0, zeta 0).
  (** After the last action nothing is seen of the update. *)
  Fixpoint greedy (explored : bool -> arm) (rounds : list X) (t : nat) (arms : bool -> arm) : law (list bool) :=
    match rounds with
    | [] => point []
    | z :: rounds =>
        let a := chosen z explored arms in
        match rounds with
        | [] => point [a]
        | _ =>
            first <- update zeta radius scale (row_for z a false) t (arms false);
            second <- update zeta radius scale (row_for z a true) t (arms true);
            more <- greedy explored rounds (S t) (fun i => if i then second else first);
            point (a :: more)
        end
    end.
  Definition rows (i : bool) (data : list X) : list (R * R) := map (fun z => (context z, reward z i)) data.
  (** Arms: false is the first, true the second; the release is the actions. *)
  Definition bandit (t0 : nat) (data : list X) : law (list bool) :=
    first <- warm_up zeta radius scale (rows false (firstn t0 data)) 1 fresh;
    second <- warm_up zeta radius scale (rows true (firstn t0 (skipn t0 data))) 1 fresh;
    more <- greedy (fun i => if i then second else first) (skipn (2 * t0) data) (S t0) (fun i => if i then second else first);
    point (repeat false t0 ++ repeat true t0 ++ more).
End Bandit.

(** Definition 4.1: entry t changes, and the actions after it are seen. *)
Definition jointly_private {X} (T : nat) (eps del : R) (M : list X -> law (list bool)) : Prop :=
  forall a z z' b, length (a ++ z :: b) = T ->
    law_close eps del (actions <- M (a ++ z :: b); point (skipn (S (length a)) actions))
      (actions <- M (a ++ z' :: b); point (skipn (S (length a)) actions)).
Definition theorem_4_1 : Prop := forall (X : Type) (context : X -> R) (reward : X -> bool -> R) zeta beta L radius gap t0 T eps del,
  (forall u v, u < v -> zeta u < zeta v) -> (forall u v, Rabs (zeta u - zeta v) <= beta * Rabs (u - v)) ->
  (forall z, Rabs (context z) <= 1) ->
  (forall z i x, Rabs x <= radius -> Rabs (glm_slope zeta (context z, reward z i) x) <= L) ->
  0 < beta -> 0 < L -> 0 < radius -> 0 < gap -> (1 <= t0)%nat -> (2 * t0 <= T)%nat -> 0 < eps -> 0 < del < 1 ->
  jointly_private T eps del (bandit context reward zeta radius (line_8 beta (2 * radius) L T eps del) gap t0).

(** ** One noisy choice between two vertices *)

(** How often z + c is above fresh noise of the same law. *)
Lemma shifted_mean b c : 0 < b -> exists w, integral (fun z => laplace_cdf b (z + c) * laplace 0 b z) w /\ 0 <= w <= 1 /\
  (c <= 0 -> w <= exp (c / 2 / b)) /\ (0 <= c -> 1 - exp (- (c / 2 / b)) <= w).
Proof.
  intros B. pose proof (NoisyMax.laplace_noise b B) as N. pose proof (laplace_integral 0 b B) as I1.
  pose proof (fun x => distribution_bounds _ _ N x) as FB. pose proof (distribution_grows _ _ N) as FG.
  assert (P : forall z, 0 < laplace 0 b z) by (intros; now apply laplace_positive).
  destruct (integral_dominated (fun z => laplace_cdf b (z + c) * laplace 0 b z) (laplace 0 b) 1) as [w W]; auto.
  - intros x y. apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros z _.
    apply (continuous_mult (fun z => laplace_cdf b (z + c)) (laplace 0 b)).
    apply (shifted_continuous _ _ N). now apply continuous_laplace.
  - now apply integrable_laplace.
  - intros z. specialize (P z). specialize (FB (z + c)). split; nra.
  - exists w. split; auto. split; [split | split].
    + apply (integral_pos _ _ (fun z => Rmult_le_pos _ _ (proj1 (FB (z + c))) (Rlt_le _ _ (P z))) W).
    + apply (integral_le _ _ _ _ (fun z => ltac:(specialize (P z); specialize (FB (z + c)); nra) : laplace_cdf b (z + c) * laplace 0 b z <= laplace 0 b z) W I1).
    + intros C. pose proof (laplace_above 0 b (- c / 2) B ltac:(lra)) as A. apply probability_beyond in A.
      pose proof (integral_plus _ _ _ _ (integral_scal _ (laplace_cdf b (c / 2)) _ I1) A) as U.
      replace (exp (c / 2 / b)) with (laplace_cdf b (c / 2) * 1 + exp (- ((- c / 2 - 0) / b)) / 2).
      apply (fun H => integral_le _ _ _ _ H W U). intros z. specialize (P z). unfold restricted, beyond.
      specialize (FB (z + c)) as F1. specialize (FB (c / 2)) as F2. destruct (Rlt_dec (- c / 2) z).
      nra. specialize (FG (z + c) (c / 2) ltac:(lra)). nra.
      unfold laplace_cdf. destruct (Rle_dec (c / 2) 0); [ | lra].
      replace (- ((- c / 2 - 0) / b)) with (c / 2 / b) by (field; lra). field.
    + intros C. pose proof (laplace_below 0 b (- c / 2) B ltac:(lra)) as A. apply probability_before in A.
      pose proof (integral_minus _ _ _ _ (integral_scal _ (laplace_cdf b (c / 2)) _ I1) A) as U.
      assert (V : 1 - exp (- (c / 2 / b)) <= laplace_cdf b (c / 2) * 1 - exp ((- c / 2 - 0) / b) / 2).
      { replace ((- c / 2 - 0) / b) with (- (c / 2 / b)) by (field; lra). unfold laplace_cdf.
        destruct (Rle_dec (c / 2) 0). replace (c / 2) with 0 by lra. replace (0 / b) with 0 by (field; lra).
        rewrite Ropp_0, exp_0. lra. lra. }
      apply Rle_trans with (1 := V). apply (fun H => integral_le _ _ _ _ H U W). intros z. specialize (P z).
      unfold restricted, before. specialize (FB (z + c)) as F1. specialize (FB (c / 2)) as F2.
      destruct (Rlt_dec z (- c / 2)). nra. specialize (FG (c / 2) (z + c) ltac:(lra)). nra.
Qed.
(** A law on two points, of which the first has the probability p. *)
Definition two_points {A} (m : law A) (a b : A) (p : R) : Prop := forall f, m f (p * f a + (1 - p) * f b).
Lemma laplace_cdf_before b t : 0 < b -> integral (fun z => indicator (before t) z * laplace 0 b z) (laplace_cdf b t).
Proof.
  intros B. apply (integral_ext (restricted (before t) (laplace 0 b))).
  { intros z. unfold restricted, indicator. destruct (before t z); ring. }
  unfold laplace_cdf. destruct (Rle_dec t 0).
  - replace (t / b) with ((t - 0) / b) by (field; lra). exact (probability_before (laplace 0 b) t _ (laplace_below 0 b t B ltac:(lra))).
  - pose proof (laplace_above_left 0 b (- t) B ltac:(lra)) as A. apply integral_above_reflect in A.
    rewrite Ropp_involutive in A. replace ((- t - 0) / b) with (- (t / b)) in A by (field; lra).
    apply (integral_below_ext t _ (laplace 0 b)) in A. exact (probability_before (laplace 0 b) t _ A).
    intros x _. now rewrite laplace_reflect, Ropp_0.
Qed.
(** With noise of scale b the vertex is - radius where d is large, radius where d is small. *)
Lemma vertex_law radius d b : 0 < radius -> 0 < b -> exists p, two_points (vertex radius d b) radius (- radius) p /\
  0 <= p <= 1 /\ (0 <= d -> p <= exp (- (d * radius / b))) /\ (d <= 0 -> 1 - exp (d * radius / b) <= p).
Proof.
  intros R0 B. destruct (shifted_mean b (- 2 * d * radius) B) as (w & W & w01 & U & L). exists w. split; [ | split; auto].
  - intros f. unfold vertex, OnlineFrankWolfeChoice.laplace_noise. destruct (Req_EM_T b 0) as [Z | _]; [lra | ].
    exists (fun low => f (- radius) + (f radius - f (- radius)) * laplace_cdf b (low + - 2 * d * radius)). split.
    + intros low.
      exists (fun high => f (- radius) + (f radius - f (- radius)) * indicator (before (low + - 2 * d * radius)) high). split.
      * intros high. unfold point, indicator, before. destruct (Rle_dec _ _) as [h | h]; destruct (Rlt_dec _ _) as [k | k];
          try ring; exfalso; nra.
      * apply (integral_ext (fun z => f (- radius) * laplace 0 b z + (f radius - f (- radius)) *
          (indicator (before (low + - 2 * d * radius)) z * laplace 0 b z))). intros z; ring.
        replace (f (- radius) + (f radius - f (- radius)) * laplace_cdf b (low + -2 * d * radius)) with
          (f (- radius) * 1 + (f radius - f (- radius)) * laplace_cdf b (low + -2 * d * radius)) by ring.
        apply integral_plus; apply integral_scal. now apply laplace_integral. now apply laplace_cdf_before.
    + apply (integral_ext (fun z => f (- radius) * laplace 0 b z + (f radius - f (- radius)) *
        (laplace_cdf b (z + - 2 * d * radius) * laplace 0 b z))). intros z; ring.
      replace (w * f radius + (1 - w) * f (- radius)) with (f (- radius) * 1 + (f radius - f (- radius)) * w) by ring.
      apply integral_plus; apply integral_scal; auto. now apply laplace_integral.
  - split; intros D.
    + replace (- (d * radius / b)) with (- 2 * d * radius / 2 / b) by (field; lra). apply U. nra.
    + replace (d * radius / b) with (- (- 2 * d * radius / 2 / b)) by (field; lra). apply L. nra.
Qed.

(** ** The first step of an arm, and the third action *)

Section Refutation.
  Variables bound b : R.
  Hypothesis bound_pos : 0 < bound.
  Hypothesis b_pos : 0 < b.
  Let identity (x : R) : R := x.
  Definition always_one (s : bool) : R := 1.
  Definition signed_reward (s i : bool) : R := sign s * bound.
  Lemma first_step (scale : nat -> R) s : scale 1%nat = b -> exists p, 0 <= p <= 1 /\ 1 - exp (- (bound / b)) <= p /\
    two_points (warm_up identity 1 scale [(1, sign s * bound)] 1 fresh)
      (Arm (1 / 2 * sign s) 0 (- (sign s * bound))) (Arm (- (1 / 2 * sign s)) 0 (- (sign s * bound))) p.
  Proof.
    intros E. destruct (vertex_law 1 (- (sign s * bound)) b ltac:(lra) b_pos) as (w & W & w01 & U & L).
    exists (if s then w else 1 - w). split; [ | split].
    - destruct s; lra.
    - destruct s; unfold sign in U, L.
      + replace (- (bound / b)) with (- (1 * bound) * 1 / b) by (field; lra). apply L. lra.
      + replace (- (bound / b)) with (- (- (-1 * bound) * 1 / b)) by (field; lra).
        assert (w <= exp (- (- (-1 * bound) * 1 / b))) by (apply U; lra). lra.
    - intros f. assert (G : glm_slope identity (1, sign s * bound) 0 = - (sign s * bound)).
      { unfold glm_slope, identity. simpl. ring. }
      unfold warm_up, update, fresh. simpl estimate. cbv zeta. rewrite E, G.
      exists f. split. reflexivity.
      exists (fun v => f (Arm (0 + 1 / (1 + INR 1) * (v - 0)) 0 (- (sign s * bound)))). split. reflexivity.
      pose proof (W (fun v => f (Arm (0 + 1 / (1 + INR 1) * (v - 0)) 0 (- (sign s * bound))))) as V. cbv beta in V.
      destruct s; unfold sign in *; simpl (INR 1) in *.
      + replace (0 + 1 / (1 + 1) * (1 - 0)) with (1 / 2 * 1) in V by field.
        replace (0 + 1 / (1 + 1) * (- (1) - 0)) with (- (1 / 2 * 1)) in V by field. exact V.
      + replace (0 + 1 / (1 + 1) * (1 - 0)) with (- (1 / 2 * -1)) in V by field.
        replace (0 + 1 / (1 + 1) * (- (1) - 0)) with (1 / 2 * -1) in V by field.
        replace ((1 - w) * f (Arm (1 / 2 * -1) 0 (- (-1 * bound))) + (1 - (1 - w)) * f (Arm (- (1 / 2 * -1)) 0 (- (-1 * bound))))
          with (w * f (Arm (- (1 / 2 * -1)) 0 (- (-1 * bound))) + (1 - w) * f (Arm (1 / 2 * -1) 0 (- (-1 * bound)))) by ring.
        exact V.
  Qed.

  (** The third action is the first arm. *)
  Definition first_arm (actions : list bool) : bool := match actions with [_; a] => negb a | _ => false end.
  Lemma third_action (first second : arm) : Rabs (estimate first - estimate second) <= 1 ->
    chosen always_one identity 10 true (fun i => if i then second else first) (fun i => if i then second else first)
    = if Rlt_dec (estimate first) (estimate second) then true else false.
  Proof.
    intros H. unfold chosen, always_one, identity. rewrite !Rmult_1_l.
    apply Rabs_le_between in H.
    assert (M : Rmax (estimate first) (estimate second) <= estimate first + 1 /\
      Rmax (estimate first) (estimate second) <= estimate second + 1) by (split; apply Rmax_lub; lra).
    destruct (Rlt_dec (Rmax _ _ - 10 / 2) (estimate first)) as [h | h]; [ | exfalso; lra].
    destruct (Rlt_dec (Rmax _ _ - 10 / 2) (estimate second)) as [k | k]; [ | exfalso; lra].
    destruct (Rlt_dec (estimate first) (estimate second)); reflexivity.
  Qed.
  Definition three_rounds (scale : nat -> R) (s : bool) : law (list bool) :=
    actions <- bandit always_one signed_reward identity 1 scale 10 1 [s; true; true]; point (skipn 1 actions).
  Lemma three_rounds_show (scale : nat -> R) : scale 1%nat = b ->
    exists P, 1 - exp (- (bound / b)) <= P /\ probability_is (three_rounds scale true) first_arm P.
  Proof.
    intros E. destruct (first_step scale true E) as (p & p01 & pb & T). exists (p * 1 + (1 - p) * (p * 0 + (1 - p) * 1)).
    split. nra. unfold sign in T. rewrite Rmult_1_r in T.
    assert (F : forall x y, point (skipn 1 ([false] ++ [true] ++ [if Rlt_dec x y then true else false] ++ [])) (indicator first_arm)
      (if Rlt_dec x y then 0 else 1)).
    { intros x y. unfold point, indicator. simpl. now destruct (Rlt_dec x y). }
    unfold three_rounds.
    exists (fun acts => indicator first_arm (skipn 1 acts)). split. reflexivity.
    set (h := fun x y : arm => indicator first_arm (skipn 1 (repeat false 1 ++ repeat true 1 ++
      [chosen always_one identity 10 true (fun i => if i then y else x) (fun i => if i then y else x)]))).
    exists (fun x => p * h x (Arm (1 / 2) 0 (- (1 * bound))) + (1 - p) * h x (Arm (- (1 / 2)) 0 (- (1 * bound)))). split.
    - intros x. exists (h x). split.
      + intros y. exists (fun l => indicator first_arm (skipn 1 (repeat false 1 ++ repeat true 1 ++ l))). split. reflexivity.
        reflexivity.
      + exact (T (h x)).
    - replace (p * 1 + (1 - p) * (p * 0 + (1 - p) * 1)) with
        (p * (p * h (Arm (1 / 2) 0 (- (1 * bound))) (Arm (1 / 2) 0 (- (1 * bound))) +
              (1 - p) * h (Arm (1 / 2) 0 (- (1 * bound))) (Arm (- (1 / 2)) 0 (- (1 * bound)))) +
         (1 - p) * (p * h (Arm (- (1 / 2)) 0 (- (1 * bound))) (Arm (1 / 2) 0 (- (1 * bound))) +
              (1 - p) * h (Arm (- (1 / 2)) 0 (- (1 * bound))) (Arm (- (1 / 2)) 0 (- (1 * bound))))).
      { exact (T (fun x => p * h x (Arm (1 / 2) 0 (- (1 * bound))) + (1 - p) * h x (Arm (- (1 / 2)) 0 (- (1 * bound))))). }
      unfold h. rewrite !third_action by (simpl; unfold Rabs; destruct (Rcase_abs _); lra). simpl estimate.
      repeat match goal with |- context [Rlt_dec ?x ?y] => destruct (Rlt_dec x y); try lra end.
      unfold indicator. simpl. ring.
  Qed.
  Lemma three_rounds_hide (scale : nat -> R) : scale 1%nat = b ->
    exists Q, Q <= 2 * exp (- (bound / b)) /\ probability_is (three_rounds scale false) first_arm Q.
  Proof.
    intros E. destruct (first_step scale true E) as (p & p01 & pb & T). destruct (first_step scale false E) as (r & r01 & rb & T').
    exists (1 - r * p). split.
    { pose proof (exp_pos (- (bound / b))). destruct (Rle_dec 1 (exp (- (bound / b)))). nra.
      assert ((1 - exp (- (bound / b))) * (1 - exp (- (bound / b))) <= r * p) by (apply Rmult_le_compat; lra). nra. }
    unfold sign in T, T'. rewrite Rmult_1_r in T. replace (1 / 2 * -1) with (- (1 / 2)) in T' by ring. rewrite Ropp_involutive in T'.
    unfold three_rounds.
    exists (fun acts => indicator first_arm (skipn 1 acts)). split. reflexivity.
    set (h := fun x y : arm => indicator first_arm (skipn 1 (repeat false 1 ++ repeat true 1 ++
      [chosen always_one identity 10 true (fun i => if i then y else x) (fun i => if i then y else x)]))).
    exists (fun x => p * h x (Arm (1 / 2) 0 (- (1 * bound))) + (1 - p) * h x (Arm (- (1 / 2)) 0 (- (1 * bound)))). split.
    - intros x. exists (h x). split.
      + intros y. exists (fun l => indicator first_arm (skipn 1 (repeat false 1 ++ repeat true 1 ++ l))). split. reflexivity.
        reflexivity.
      + exact (T (h x)).
    - replace (1 - r * p) with
        (r * (p * h (Arm (- (1 / 2)) 0 (- (-1 * bound))) (Arm (1 / 2) 0 (- (1 * bound))) +
              (1 - p) * h (Arm (- (1 / 2)) 0 (- (-1 * bound))) (Arm (- (1 / 2)) 0 (- (1 * bound)))) +
         (1 - r) * (p * h (Arm (1 / 2) 0 (- (-1 * bound))) (Arm (1 / 2) 0 (- (1 * bound))) +
              (1 - p) * h (Arm (1 / 2) 0 (- (-1 * bound))) (Arm (- (1 / 2)) 0 (- (1 * bound))))).
      { exact (T' (fun x => p * h x (Arm (1 / 2) 0 (- (1 * bound))) + (1 - p) * h x (Arm (- (1 / 2)) 0 (- (1 * bound))))). }
      unfold h. rewrite !third_action by (simpl; unfold Rabs; destruct (Rcase_abs _); lra). simpl estimate.
      repeat match goal with |- context [Rlt_dec ?x ?y] => destruct (Rlt_dec x y); try lra end.
      unfold indicator. simpl. ring.
  Qed.
End Refutation.

(** ** The refutation *)

Lemma ln_3_upper : ln 3 <= 147 / 100.
Proof.
  rewrite <- (ln_exp (147 / 100)). apply ln_le. lra. replace (147 / 100) with (147 / 200 + 147 / 200) by field.
  rewrite exp_plus. pose proof (exp_ineq1_le (147 / 200)). apply Rle_trans with ((1 + 147 / 200) * (1 + 147 / 200)). lra.
  apply Rmult_le_compat; lra.
Qed.
(** Rewards of 97 or - 97, contexts of 1, estimates within [-1, 1]: the noise is small for the first choice. *)
Lemma first_scale eps : 0 < eps ->
  0 < line_8 1 (2 * 1) 98 3 eps (exp (- (1 / 1600))) 1 /\ 4 * eps <= 97 / line_8 1 (2 * 1) 98 3 eps (exp (- (1 / 1600))) 1.
Proof.
  intros E. unfold line_8. replace (1 / exp (- (1 / 1600))) with (exp (1 / 1600)).
  2: { rewrite exp_Ropp. pose proof (exp_pos (1 / 1600)). field. lra. }
  rewrite ln_exp. replace (INR 3) with 3 by (simpl; ring). replace (INR 1) with 1 by reflexivity. rewrite sqrt_1.
  assert (L3 : 0 < ln 3) by (rewrite <- ln_1; apply ln_increasing; lra). pose proof ln_3_upper as U.
  set (k := sqrt (ln 3 * (1 / 1600))). assert (K0 : 0 < k) by (apply sqrt_lt_R0; lra).
  assert (K : k <= 97 / 3200).
  { rewrite <- (sqrt_square (97 / 3200)) by lra. apply sqrt_le_1_alt. lra. }
  replace (4 * (2 * 1) * (1 * (2 * 1) + 98) * k / (eps * 1)) with (800 * k / eps) by (field; lra). split.
  - apply Rdiv_lt_0_compat; lra.
  - replace (97 / (800 * k / eps)) with (eps * (97 / (800 * k))) by (field; lra).
    assert (4 <= 97 / (800 * k)). { apply (Rmult_le_reg_r (800 * k)). lra. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
    nra.
Qed.
Theorem third_action_shows eps : 4 <= eps ->
  ~ jointly_private 3 eps (exp (- (1 / 1600))) (bandit always_one (signed_reward 97) (fun x => x) 1
      (line_8 1 (2 * 1) 98 3 eps (exp (- (1 / 1600)))) 10 1).
Proof.
  intros E J. destruct (first_scale eps ltac:(lra)) as [B0 B]. set (scale := line_8 1 (2 * 1) 98 3 eps (exp (- (1 / 1600)))) in *.
  destruct (three_rounds_show 97 _ ltac:(lra) B0 scale eq_refl) as (P & P1 & HP).
  destruct (three_rounds_hide 97 _ ltac:(lra) B0 scale eq_refl) as (Q & Q1 & HQ).
  pose proof (J [] true false [true; true] eq_refl first_arm P Q HP HQ) as H.
  assert (X : exp (- (97 / scale 1%nat)) <= exp (- (4 * eps))) by (apply exp_le; lra).
  assert (e1 : 2 <= exp 1) by (pose proof (exp_ineq1_le 1); lra).
  assert (e4 : 16 <= exp 4). { replace 4 with (1 + 1 + (1 + 1)) by ring. rewrite !exp_plus. assert (4 <= exp 1 * exp 1) by nra. nra. }
  assert (e8 : 256 <= exp 8). { replace 8 with (4 + 4) by ring. rewrite exp_plus. nra. }
  assert (e12 : 4096 <= exp 12). { replace 12 with (8 + 4) by ring. rewrite exp_plus. nra. }
  assert (e16 : 65536 <= exp 16). { replace 16 with (8 + 8) by ring. rewrite exp_plus. nra. }
  assert (A : exp eps * exp (- (4 * eps)) <= / 4096).
  { rewrite <- exp_plus. apply Rle_trans with (exp (- (12))). apply exp_le. lra. rewrite exp_Ropp. apply Rinv_le_contravar; lra. }
  assert (A' : exp (- (4 * eps)) <= / 65536).
  { apply Rle_trans with (exp (- (16))). apply exp_le. lra. rewrite exp_Ropp. apply Rinv_le_contravar; lra. }
  assert (D : exp (- (1 / 1600)) <= 1600 / 1601).
  { rewrite exp_Ropp. pose proof (exp_ineq1_le (1 / 1600)). replace (1600 / 1601) with (/ (1601 / 1600)) by field.
    apply Rinv_le_contravar; lra. }
  assert (Y : exp eps * Q <= exp eps * (2 * exp (- (4 * eps)))).
  { apply Rmult_le_compat_l. left. apply exp_pos. lra. }
  lra.
Qed.
Theorem theorem_4_1_is_false : ~ theorem_4_1.
Proof.
  intros H. apply (third_action_shows 4); try lra. apply H; try lra; try lia.
  - auto.
  - intros u v. rewrite Rmult_1_l. lra.
  - intros z. unfold always_one. rewrite Rabs_R1. lra.
  - intros z i x X. unfold glm_slope, always_one, signed_reward. cbn [fst snd]. apply Rabs_le_between in X.
    apply Rabs_le. unfold sign. destruct z; split; lra.
  - split. apply exp_pos. apply Rlt_le_trans with (exp 0). apply exp_increasing. lra. rewrite exp_0. lra.
Qed.
