(** * Private selection: privacy of the best of a random number of runs

    A mechanism on a finite list of outcomes that a rank orders; K runs, K of a truncated negative binomial law (the
    logarithmic one at eta = 0) or of a Poisson law, independent of the data and not released; the best outcome is.
    Proved here from the definitions of Finite.v, BestOf.v and Repetitions.v: pure privacy (Corollary 3 of Papernot and
    Steinke 2022; of Liu and Talwar 2019, Theorem 3.4, the part about pure privacy, at eta = 1), the Renyi divergences
    (Theorem 2 of the former with an auxiliary order above one, and Theorem 6 with the event of no run), and the
    hockey-stick divergences of the best by those of one run. *)
From Coquelicot Require Import Coquelicot.
From Dpref Require Import Finite Interaction Approximate Convexity Renyi Sampling Replacement AmplifiedRenyi BestOf
  Selection Repetitions SelectionLaws.
Open Scope R_scope.

(** The best of a random number of runs of a mechanism. *)
Definition selection {D O} (rank : O -> nat) (w : nat -> R) (l : list O) (M : D -> O -> R) (d : D) :=
  best_of rank w l (M d).

Section Truncated.
  Context {D O : Type} (neighbours : D -> D -> Prop) (l : list O) (rank : O -> nat) (eta gamma : R) (M : D -> O -> R).
  Hypothesis ranked : NoDup (map rank l).
  Hypothesis A : -1 < eta.
  Hypothesis Ga : 0 < gamma < 1.
  Hypothesis PM : mechanism l M.
  Hypothesis Sy : forall d d', neighbours d d' -> neighbours d' d.
  Let best := selection rank (truncated eta gamma) l M.

  Theorem truncated_selection_mechanism : mechanism (some_or_none l) best.
  Proof.
    intros d. apply (best_of_distribution rank l _ (truncated_generating eta gamma)); auto.
    now apply truncated_is_law. now apply truncated_generates.
  Qed.
  Lemma truncated_pure eps : 0 <= eps -> DP neighbours l eps 0 M ->
    DP neighbours (some_or_none l) ((2 + eta) * eps) 0 best.
  Proof.
    intros E H d d' N. replace ((2 + eta) * eps) with (eps + (1 + eta) * eps) by ring.
    apply (best_ratio rank l (truncated eta gamma) (truncated_generating eta gamma) (slope eta gamma)); auto.
    now apply truncated_is_law. now apply truncated_generates. intros; now apply truncated_slope.
    intros; now apply slope_positive. nra. now apply ratio_of_close, H.
    intros x x' T. destruct (tied_bounds l _ _ x x' (PM d) (PM d') T) as [X X']. apply slopes; auto.
    pose proof (tied_close l _ _ eps 0 x x' (H d' d (Sy _ _ N)) T) as K. pose proof (exp_ineq1_le eps). nra.
  Qed.
  Lemma truncated_renyi a b ra rb : 1 < a -> 1 < b -> RDP neighbours l a ra M -> RDP neighbours l b rb M ->
    RDP neighbours (some_or_none l) a
      (ra + (1 + eta) * (1 - / b) * rb - (1 + eta) * ln gamma / b + ln (truncated_mean eta gamma) / (a - 1)) best.
  Proof.
    intros A1 B1 Ha Hb d d' N. pose proof (mean_pos eta gamma A Ga) as M0.
    pose proof (truncated_is_law eta gamma A Ga) as W. pose proof (truncated_generates eta gamma A Ga) as G.
    destruct (Ha d d' N) as [S Ma]. set (s := (1 - / b) * rb - ln gamma / b).
    pose proof (fun z => truncated_slope eta gamma A Ga z) as Df. pose proof (fun z => slope_positive eta gamma A Ga z)
      as Pf.
    split. now apply (best_supported rank l _ (truncated_generating eta gamma) (slope eta gamma)).
    eapply Rle_trans. apply (best_moment rank l (truncated eta gamma) (truncated_generating eta gamma) (slope eta gamma)
      ranked W G Df Pf (M d) (M d') (PM d) (PM d') a (truncated_mean eta gamma * exp ((1 + eta) * s * (a - 1)))); auto.
    - intros x x' T. destruct (tied_bounds l _ _ x x' (PM d) (PM d') T) as [X X'].
      pose proof (slopes eta gamma A Ga x x' s X X' (brackets_renyi gamma Ga l _ _ b rb x x' (PM d) (PM d') B1
        (Hb d' d (Sy _ _ N)) T)) as K.
      pose proof (Pf x X). pose proof (Pf x' X'). apply Rmult_le_compat. lra. left; apply exp_pos.
      now apply slope_below. unfold Rpower. apply exp_mono. rewrite (Rmult_comm ((1 + eta) * s)).
      apply Rmult_le_compat_l. lra. apply exp_mono_inv. rewrite exp_ln by (now apply Rdiv_lt_0_compat).
      apply Rle_div_l; auto.
    - assert (Z : truncated eta gamma 0 = 0) by (unfold truncated; destruct (Req_EM_T eta 0); reflexivity).
      rewrite Z, Rplus_0_l.
      apply Rle_trans with (truncated_mean eta gamma * exp ((1 + eta) * s * (a - 1)) * exp ((a - 1) * ra)).
      apply Rmult_le_compat_l; auto. apply Rmult_le_pos. lra. left; apply exp_pos.
      rewrite <- (exp_ln (truncated_mean eta gamma)) at 1 by auto. rewrite <- !exp_plus. right. f_equal. unfold s.
        field. lra.
  Qed.
End Truncated.
(** The best of K runs of an $\varepsilon$-DP mechanism is $(2+\eta)\varepsilon$-DP (Corollary 3). *)
Theorem truncated_selection_pure {D O} (neighbours : D -> D -> Prop) (l : list O) (rank : O -> nat) eta gamma
    (M : D -> O -> R) eps : NoDup (map rank l) -> -1 < eta -> 0 < gamma < 1 -> mechanism l M ->
  (forall d d', neighbours d d' -> neighbours d' d) -> 0 <= eps -> DP neighbours l eps 0 M ->
  DP neighbours (some_or_none l) ((2 + eta) * eps) 0 (selection rank (truncated eta gamma) l M).
Proof. intros K A G P Sy E H. now apply truncated_pure. Qed.
(** Theorem 2: $D'_a\le D_a+(1+\eta)\bigl(1-\frac1b\bigr)D_b+\frac{(1+\eta)\ln(1/\gamma)}b+\frac{\ln\mathbb EK}{a-1}$
    at every auxiliary order $b>1$. *)
Theorem truncated_selection_renyi {D O} (neighbours : D -> D -> Prop) (l : list O) (rank : O -> nat) eta gamma
    (M : D -> O -> R) a b ra rb : NoDup (map rank l) -> -1 < eta -> 0 < gamma < 1 -> mechanism l M ->
  (forall d d', neighbours d d' -> neighbours d' d) -> 1 < a -> 1 < b ->
  RDP neighbours l a ra M -> RDP neighbours l b rb M ->
  RDP neighbours (some_or_none l) a
    (ra + (1 + eta) * (1 - / b) * rb - (1 + eta) * ln gamma / b + ln (truncated_mean eta gamma) / (a - 1))
    (selection rank (truncated eta gamma) l M).
Proof. intros K A G P Sy A1 B1 Ha Hb. now apply truncated_renyi. Qed.

(** $H_{x+s}(\text{best})\le\mathbb EK\,H_x$ with $s=(1+\eta)\ln r$ and
    $r=\max\bigl\{e^{\hat\varepsilon},1+\frac{1-\gamma}\gamma
    \hat\delta\bigr\}$, where one run is $(\hat\varepsilon,\hat\delta)$-close in the other order. *)
Theorem truncated_selection_curve {O} (l : list O) (rank : O -> nat) eta gamma p q eps del r x : NoDup (map rank l) ->
  -1 < eta -> 0 < gamma < 1 -> distribution l p -> distribution l q -> 0 <= del -> 0 <= x ->
  exp eps <= r -> 1 + (1 - gamma) / gamma * del <= r -> close l eps del q p ->
  hockey (some_or_none l) (x + (1 + eta) * ln r) (best_of rank (truncated eta gamma) l p)
    (best_of rank (truncated eta gamma) l q) <= truncated_mean eta gamma * hockey l x p q.
Proof.
  intros ranked A Ga P Q D0 X0 R1 R2 C.
  assert (D1 : 0 <= (1 - gamma) / gamma * del).
  { apply Rmult_le_pos; auto. apply Rmult_le_pos. lra. left. apply Rinv_0_lt_compat. lra. }
  assert (L : 0 <= ln r). { rewrite <- ln_1. destruct (Rle_lt_or_eq_dec 1 r ltac:(lra)) as [H | <-]; [left; apply
    ln_increasing; lra | lra]. }
  apply (best_hockey rank l (truncated eta gamma) (truncated_generating eta gamma) (slope eta gamma)); auto.
  now apply truncated_is_law. now apply truncated_generates. intros; now apply truncated_slope.
  intros; now apply slope_positive. nra. intros; now apply slope_below.
  intros y y' T. destruct (tied_bounds l p q y y' P Q T) as [Y Y']. apply slopes; auto. rewrite exp_ln by lra.
  pose proof (tied_close l p q eps del y y' C T) as K.
  replace (1 - (1 - gamma) * y') with (gamma + (1 - gamma) * (1 - y')) by ring.
  replace (1 - (1 - gamma) * y) with (gamma + (1 - gamma) * (1 - y)) by ring.
  assert (K1 : gamma + (1 - gamma) * del <= r * gamma).
  { replace (gamma + (1 - gamma) * del) with ((1 + (1 - gamma) / gamma * del) * gamma) by (field; lra).
    apply Rmult_le_compat_r; lra. }
  assert (K2 : (1 - gamma) * (1 - y') <= (1 - gamma) * (r * (1 - y) + del)) by (apply Rmult_le_compat_l; nra). lra.
Qed.

(** ** A Poisson number of runs *)

(** Theorem 6, and the event of no run: $D'_a\le\frac1{a-1}\ln\bigl(e^{-m}+me^{(a-1)(D_a+m\delta)}\bigr)$ where one run
    is
    $(\hat\varepsilon,\delta)$-DP with $e^{\hat\varepsilon}\le1+\frac1{a-1}$. *)
Theorem poisson_selection_renyi {D O} (neighbours : D -> D -> Prop) (l : list O) (rank : O -> nat) m (M : D -> O -> R)
    a r eps del : NoDup (map rank l) -> 0 < m -> mechanism l M -> (forall d d', neighbours d d' -> neighbours d' d) ->
  1 < a -> exp eps <= 1 + / (a - 1) -> RDP neighbours l a r M -> DP neighbours l eps del M ->
  RDP neighbours (some_or_none l) a (ln (exp (- m) + m * exp ((a - 1) * (r + m * del))) / (a - 1))
      (selection rank (poisson m) l M).
Proof.
  intros ranked M0 PM Sy A1 E H C d d' N. destruct (H d d' N) as [S Ma].
  pose proof (poisson_is_law m M0) as W. pose proof (poisson_generates m) as G.
  assert (Df : forall z, 0 <= z <= 1 -> is_derive (poisson_generating m) z (m * exp (m * (z - 1)))) by (intros; apply
    poisson_slope).
  assert (Pf : forall z, 0 <= z <= 1 -> 0 < m * exp (m * (z - 1))) by (intros; apply Rmult_lt_0_compat; auto; apply
    exp_pos).
  split. now apply (best_supported rank l _ (poisson_generating m) (fun z => m * exp (m * (z - 1)))).
  eapply Rle_trans. apply (best_moment rank l (poisson m) (poisson_generating m) (fun z => m * exp (m * (z - 1)))
    ranked W G Df Pf (M d) (M d') (PM d) (PM d') a (m * exp (m * ((a - 1) * del)))); auto.
  - intros x x' T. pose proof (tied_bounds l _ _ x x' (PM d) (PM d') T) as [X X'].
    pose proof (tied_close l _ _ eps del x x' (C d' d (Sy _ _ N)) T) as K. rewrite Rmult_assoc. apply Rmult_le_compat_l.
      lra.
    replace (m * exp (m * (x - 1)) / (m * exp (m * (x' - 1)))) with (exp (m * (x - x'))).
    2: { replace (m * (x - x')) with (m * (x - 1) + - (m * (x' - 1))) by ring. rewrite exp_plus, exp_Ropp.
         pose proof (exp_pos (m * (x' - 1))). field. lra. }
    unfold Rpower. rewrite ln_exp, <- exp_plus. apply exp_mono.
    replace (m * (x - 1) + (a - 1) * (m * (x - x'))) with (m * ((a - 1) * (1 - x') - a * (1 - x))) by ring.
    apply Rmult_le_compat_l. lra. apply (Rmult_le_compat_l (a - 1)) in K; [ | lra].
    assert (E' : (a - 1) * exp eps <= a).
    { apply (Rmult_le_compat_l (a - 1)) in E; [ | lra]. rewrite Rmult_plus_distr_l, Rinv_r in E by lra. lra. }
    assert ((a - 1) * exp eps * (1 - x) <= a * (1 - x)) by (apply Rmult_le_compat_r; lra). lra.
  - assert (Z : 0 < exp (- m) + m * exp ((a - 1) * (r + m * del))).
    { pose proof (exp_pos (- m)). pose proof (Rmult_lt_0_compat _ _ M0 (exp_pos ((a - 1) * (r + m * del)))). lra. }
    match goal with |- _ <= exp ?e => replace e with (ln (exp (- m) + m * exp ((a - 1) * (r + m * del)))) by (field;
      lra) end.
    rewrite exp_ln by auto. replace (poisson m 0) with (exp (- m)) by (unfold poisson; simpl; field).
    apply Rplus_le_compat_l. rewrite Rmult_assoc. apply Rmult_le_compat_l. lra.
    apply Rle_trans with (exp (m * ((a - 1) * del)) * exp ((a - 1) * r)). apply Rmult_le_compat_l; auto. left; apply
      exp_pos.
    rewrite <- exp_plus. right. f_equal. ring.
Qed.
(** $H_{x+m\tau}(\text{best})\le m\,H_x$ where the other order of one run is at most $\tau$ apart. *)
Theorem poisson_selection_curve {O} (l : list O) (rank : O -> nat) m p q tau x : NoDup (map rank l) -> 0 < m ->
  distribution l p -> distribution l q -> 0 <= x -> 0 <= tau -> hockey l 0 q p <= tau ->
  hockey (some_or_none l) (x + m * tau) (best_of rank (poisson m) l p) (best_of rank (poisson m) l q)
    <= m * hockey l x p q.
Proof.
  intros ranked M0 P Q X0 T0 C. apply hockey_is_delta in C.
  apply (best_hockey rank l (poisson m) (poisson_generating m) (fun z => m * exp (m * (z - 1)))); auto.
  now apply poisson_is_law. apply poisson_generates. intros; apply poisson_slope.
  intros; apply Rmult_lt_0_compat; auto; apply exp_pos. nra.
  - intros z Z. rewrite <- (Rmult_1_r m) at 3. apply Rmult_le_compat_l. lra. apply Rle_trans with (exp 0). apply
    exp_mono; nra. rewrite exp_0; lra.
  - intros y y' T. pose proof (tied_close l p q 0 tau y y' C T) as K. rewrite exp_0 in K.
    replace (exp (m * tau) * (m * exp (m * (y' - 1)))) with (m * (exp (m * tau) * exp (m * (y' - 1)))) by ring.
    apply Rmult_le_compat_l. lra. rewrite <- exp_plus. apply exp_mono. nra.
Qed.

(** ** How far apart the best are, at epsilon zero *)

Section Apart.
  Context {O : Type} (rank : O -> nat) (l : list O).
  Lemma shared_runs p q tau k : distribution l p -> distribution l q -> 1 - tau <= sum_over l (fun o => Rmin (p o) (q
    o)) ->
    tau <= 1 -> (1 - tau) ^ k <= sum_over (runs l k) (fun t => Rmin (runs_mass p t) (runs_mass q t)).
  Proof.
    intros P Q S T. induction k as [ | k IH]. simpl. unfold Rmin. destruct (Rle_dec 1 1); lra.
    simpl runs. rewrite sum_joined. simpl pow.
    apply Rle_trans with (sum_over l (fun o => Rmin (p o) (q o) * sum_over (runs l k) (fun t => Rmin (runs_mass p t)
      (runs_mass q t)))).
    - rewrite sum_scal_r. apply Rmult_le_compat; auto. lra. apply pow_le. lra.
    - apply sum_le. intros o _. rewrite <- sum_scal. apply sum_le. intros t _. simpl runs_mass.
      pose proof (proj1 P o). pose proof (proj1 Q o). pose proof (runs_mass_nonneg p t (proj1 P)). pose proof
        (runs_mass_nonneg q t (proj1 Q)).
      pose proof (Rmin_l (p o) (q o)). pose proof (Rmin_r (p o) (q o)).
      pose proof (Rmin_l (runs_mass p t) (runs_mass q t)). pose proof (Rmin_r (runs_mass p t) (runs_mass q t)).
      assert (0 <= Rmin (runs_mass p t) (runs_mass q t)) by (apply Rmin_glb; auto).
      assert (0 <= Rmin (p o) (q o)) by (apply Rmin_glb; auto). apply Rmin_glb; apply Rmult_le_compat; auto.
  Qed.
  Lemma apart_and_shared {X} (m : list X) p q : sum_over m p = 1 ->
    hockey m 0 p q = 1 - sum_over m (fun o => Rmin (p o) (q o)).
  Proof.
    intros S. rewrite <- S, <- sum_minus. apply sum_ext. intros o _. rewrite exp_0, Rmult_1_l.
    unfold Rmax, Rmin. destruct (Rle_dec 0 (p o - q o)), (Rle_dec (p o) (q o)); lra.
  Qed.
  Lemma best_differ w f p q tau : NoDup (map rank l) -> number_of_runs w -> generates w f -> distribution l p ->
    distribution l q -> 0 <= tau <= 1 -> hockey l 0 p q <= tau ->
    hockey (some_or_none l) 0 (best_of rank w l p) (best_of rank w l q) <= 1 - f (1 - tau).
  Proof.
    intros ranked W G P Q T C. rewrite apart_and_shared in C by apply P.
    pose proof (best_of_distribution rank l w f ranked W G p P) as BP.
    pose proof (best_of_distribution rank l w f ranked W G q Q) as BQ.
    rewrite apart_and_shared by apply BP. apply Rplus_le_compat_l, Ropp_le_contravar.
    set (a := fun p o k => w k * best_of_runs rank l p k o).
    assert (N : forall s o k, distribution l s -> 0 <= a s o k).
    { intros s o k [S _]. apply Rmult_le_pos. apply W. apply sum_nonneg. intros t _. destruct (is_best _ _ _); [ | lra].
      now apply runs_mass_nonneg. }
    assert (X : forall s o, distribution l s -> ex_series (a s o)).
    { intros s [o | ] S. eexists. now apply (best_of_series rank l w f G). exists (w 0%nat).
      apply (is_series_ext (fun k => w k * 0 ^ k)). intros k. unfold a. now rewrite no_run. apply series_at_zero. }
    assert (XM : forall o, ex_series (fun k => Rmin (a p o k) (a q o k))).
    { intros o. apply (@ex_series_le R_AbsRing R_CompleteNormedModule _ (a p o)); auto. intros k. change (norm (Rmin (a
      p o k) (a q o k)))
        with (Rabs (Rmin (a p o k) (a q o k))). rewrite Rabs_pos_eq by (apply Rmin_glb; auto). apply Rmin_l. }
    apply Rle_trans with (sum_over (some_or_none l) (fun o => Series (fun k => Rmin (a p o k) (a q o k)))).
    - pose proof (series_list (some_or_none l) (fun o k => Rmin (a p o k) (a q o k)) _ (fun o _ => Series_correct _ (XM
      o))) as H.
      apply is_series_unique in H. rewrite <- H. rewrite <- (is_series_unique _ _ (G (1 - tau) ltac:(lra))).
      apply Series_le. 2: { pose proof (series_list (some_or_none l) (fun o k => Rmin (a p o k) (a q o k)) _
        (fun o _ => Series_correct _ (XM o))) as H'. eexists. exact H'. }
      intros k. split. apply Rmult_le_pos. apply W. apply pow_le. lra.
      apply Rle_trans with (w k * sum_over (runs l k) (fun t => Rmin (runs_mass p t) (runs_mass q t))).
      apply Rmult_le_compat_l. apply W. apply shared_runs; auto; lra.
      rewrite <- (best_total rank l ranked (fun t => Rmin (runs_mass p t) (runs_mass q t)) k), <- sum_scal.
      apply sum_le. intros o _. unfold a, best_of_runs. assert (W0 : 0 <= w k) by apply W.
      apply Rmin_glb; apply Rmult_le_compat_l; auto; apply sum_le; intros t _; destruct (is_best _ _ _); try lra;
        [apply Rmin_l | apply Rmin_r].
    - apply sum_le. intros o _. apply Rmin_glb; apply Series_le; try (now apply X); intros k;
        (split; [now apply Rmin_glb; apply N | ]); [apply Rmin_l | apply Rmin_r].
  Qed.
End Apart.
(** Two runs that are at most $\tau$ apart: the best are at most $1-f(1-\tau)$ apart, f the generating function of K. *)
Theorem best_apart {O} (rank : O -> nat) (l : list O) w f p q tau : NoDup (map rank l) -> number_of_runs w ->
  generates w f -> distribution l p -> distribution l q -> 0 <= tau <= 1 -> hockey l 0 p q <= tau ->
  hockey (some_or_none l) 0 (best_of rank w l p) (best_of rank w l q) <= 1 - f (1 - tau).
Proof. apply best_differ. Qed.
