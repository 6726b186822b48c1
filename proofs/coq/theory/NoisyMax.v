(** * Report-noisy-max

    Independent noise of one density is added to the scores of finitely many candidates, and the candidate with the
    largest noisy score is reported.  The probability that it is v is the integral over v's own noise z of its density
    times the chances, independent of one another, that every other candidate's noisy score stays below; that integral,
    on the line, is the definition here (`noisy_max`), for a continuous density with its distribution function.

    Proved here: those integrals exist and are a distribution; if the density falls by at most the factor exp(-eps) over
    Delta, the span by which differences of scores move, then the choice is eps-private, as with Laplace noise of scale
      b
    and eps = Delta / b; and with Gumbel noise the choice is the exponential mechanism of Mechanisms.v. *)
From Coquelicot Require Import Coquelicot.
From Dpref Require Import Finite Interaction Approximate Convexity Renyi Conversion Concentrated Mechanisms Flips
  PermuteFlip
  Improper Density Erfc Gaussian GaussianCurve Laplace.
Open Scope R_scope.

(** A continuous density and its distribution function. *)
Definition noise (f F : R -> R) := (forall z, 0 <= f z) /\ (forall z, continuous f z) /\ (forall z, is_derive F z (f z))
  /\ is_lim F m_infty 0 /\ is_lim F p_infty 1.
(** The noise of candidate v is z, and nobody else's noisy score is larger. *)
Definition reported {O} (dec : forall x y : O, {x = y} + {x <> y}) (f F : R -> R) (l : list O) (s : O -> R) v z :=
  f z * product_over (remove dec v l) (fun u => F (z + s v - s u)).
(** The probability that candidate v is reported. *)
Definition noisy_max {D O} dec f F (l : list O) (score : D -> O -> R) d v :=
  RInt_gen (reported dec f F l (score d) v) minus_infinity plus_infinity.

Lemma product_continuous {A} (l : list A) (g : A -> R -> R) z : (forall a, continuous (g a) z) ->
  continuous (fun z => product_over l (fun a => g a z)) z.
Proof.
  intros H. induction l as [ | a l IH]; simpl. apply continuous_const.
  now apply (continuous_mult (g a) (fun z => product_over l (fun a => g a z))).
Qed.

Lemma sum_continuous {A} (l : list A) (g : A -> R -> R) z : (forall a, continuous (g a) z) ->
  continuous (fun z => sum_over l (fun a => g a z)) z.
Proof.
  intros H. induction l as [ | a l IH]; simpl. apply continuous_const.
  now apply (continuous_plus (g a) (fun z => sum_over l (fun a => g a z))).
Qed.

Section Noise.
  Variables f F : R -> R.
  Hypothesis N : noise f F.
  Context {D O : Type} (dec : forall x y : O, {x = y} + {x <> y}) (l : list O).

  Lemma distribution_grows x y : x <= y -> F x <= F y.
  Proof.
    destruct N as (P & _ & Df & _). intros H. destruct (mean_value F f x y Df H) as (c & _ & E).
    pose proof (P c). assert (0 <= f c * (y - x)) by (apply Rmult_le_pos; lra). lra.
  Qed.
  Lemma distribution_bounds x : 0 <= F x <= 1.
  Proof.
    destruct N as (_ & _ & _ & L & U). split.
    - assert (H : Rbar_le 0 (F x)). 2: exact H. apply (is_lim_le_loc F (fun _ => F x) m_infty); auto. 2: apply
      is_lim_const.
      exists x. intros y Y. apply distribution_grows. lra.
    - assert (H : Rbar_le (F x) 1). 2: exact H. apply (is_lim_le_loc (fun _ => F x) F p_infty); auto. 2: apply
      is_lim_const.
      exists x. intros y Y. apply distribution_grows. lra.
  Qed.
  Lemma noise_integral : integral f 1.
  Proof.
    destruct N as (_ & C & Df & L & U). replace 1 with (1 - 0) by ring. exact (integral_antiderivative F f 0 1 Df C L
      U).
  Qed.
  Lemma distribution_continuous z : continuous F z.
  Proof. destruct N as (_ & _ & Df & _). apply (ex_derive_continuous F). eexists; apply Df. Qed.
  Lemma shifted_continuous c z : continuous (fun z => F (z + c)) z.
  Proof.
    apply (continuous_comp (fun z => z + c) F). apply (ex_derive_continuous (fun z => z + c)). auto_derive; auto.
    apply distribution_continuous.
  Qed.
  Lemma reported_continuous s v z : continuous (reported dec f F l s v) z.
  Proof.
    unfold reported. apply (continuous_mult f (fun z => product_over (remove dec v l) (fun u => F (z + s v - s u)))).
    apply N. apply (product_continuous (remove dec v l) (fun u z => F (z + s v - s u))). intros u.
    apply (continuous_ext (fun z => F (z + (s v - s u)))). intros; f_equal; ring. apply shifted_continuous.
  Qed.
  Lemma reported_bounds s v z : 0 <= reported dec f F l s v z <= f z.
  Proof.
    unfold reported. destruct N as (P & _). specialize (P z).
    assert (B : 0 <= product_over (remove dec v l) (fun u => F (z + s v - s u)) <= 1).
    { induction (remove dec v l) as [ | u m IH]; simpl. lra. pose proof (distribution_bounds (z + s v - s u)). nra. }
    split; nra.
  Qed.
  (** The integral exists. *)
  Theorem noisy_max_integral (score : D -> O -> R) d v :
    integral (reported dec f F l (score d) v) (noisy_max dec f F l score d v).
  Proof.
    destruct (integral_dominated (reported dec f F l (score d) v) f 1) as (p & H).
    - intros x y. apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros; apply reported_continuous.
    - intros x y. apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros; apply N.
    - intros; apply reported_bounds.
    - apply noise_integral.
    - unfold noisy_max. now rewrite (is_RInt_gen_unique _ p H).
  Qed.

  (** ** A distribution *)
  Lemma integral_sum {A} (m : list A) (g : A -> R -> R) (p : A -> R) : (forall a, integral (g a) (p a)) ->
    integral (fun z => sum_over m (fun a => g a z)) (sum_over m p).
  Proof.
    intros H. induction m as [ | a m IH]; simpl. exact gen_zero.
    now apply (integral_plus (g a) (fun z => sum_over m (fun a => g a z))).
  Qed.
  Definition all_below s (m : list O) z := product_over m (fun u => F (z - s u)).
  Lemma all_below_derive s m z : NoDup m -> is_derive (all_below s m) z
    (sum_over m (fun v => f (z - s v) * product_over (remove dec v m) (fun u => F (z - s u)))).
  Proof.
    destruct N as (_ & _ & Df & _). intros ND. unfold all_below. induction ND as [ | v m V ND IH]; simpl.
    - apply (is_derive_const 1 z).
    - destruct (dec v v) as [_ | K]; [ | easy]. rewrite (notin_remove dec m v V).
      rewrite (sum_ext m _ (fun w => F (z - s v) * (f (z - s w) * product_over (remove dec w m) (fun u => F (z - s
        u))))).
      2: { intros w W. destruct (dec w v) as [-> | _]. easy. simpl. ring. }
      rewrite sum_scal. apply (is_derive_mult (fun z => F (z - s v)) (fun z => product_over m (fun u => F (z - s u))));
        auto.
      + assert (K : is_derive (fun z => F (z - s v)) z (1 * f (z - s v))).
        { apply (is_derive_comp F (fun z => z - s v) z (f (z - s v)) 1). apply Df. auto_derive; auto. }
        now rewrite Rmult_1_l in K.
      + intros; apply Rmult_comm.
  Qed.
  Lemma all_below_limits s m : m <> nil -> is_lim (all_below s m) m_infty 0 /\ is_lim (all_below s m) p_infty 1.
  Proof.
    destruct N as (_ & _ & _ & L & U).
    assert (LS : forall c, is_lim (fun z => F (z - c)) m_infty 0).
    { intros c. apply (is_lim_comp F (fun z => z - c) m_infty 0 m_infty); auto.
      apply (is_lim_minus (fun z => z) (fun _ => c) m_infty m_infty c). apply is_lim_id. apply is_lim_const. easy.
      exists 0. easy. }
    assert (US : forall c, is_lim (fun z => F (z - c)) p_infty 1).
    { intros c. apply (is_lim_comp F (fun z => z - c) p_infty 1 p_infty); auto.
      apply (is_lim_minus (fun z => z) (fun _ => c) p_infty p_infty c). apply is_lim_id. apply is_lim_const. easy.
      exists 0. easy. }
    assert (UP : is_lim (all_below s m) p_infty 1).
    { unfold all_below. induction m as [ | v m IH]; simpl. apply is_lim_const.
      replace (Finite 1) with (Rbar_mult 1 1) by (simpl; f_equal; ring). apply is_lim_mult; auto. easy. }
    intros H. split; auto. destruct m as [ | v m]. easy. clear H UP. unfold all_below. simpl.
    induction m as [ | w m IH]; simpl.
    - apply (is_lim_ext (fun z => F (z - s v))). intros; ring. apply LS.
    - apply (is_lim_ext (fun z => F (z - s w) * (F (z - s v) * product_over m (fun u => F (z - s u))))). intros; ring.
      replace (Finite 0) with (Rbar_mult 0 0) by (simpl; f_equal; ring). apply is_lim_mult; auto. easy.
  Qed.
  Theorem noisy_max_mechanism (score : D -> O -> R) : NoDup l -> l <> nil -> mechanism l (noisy_max dec f F l score).
  Proof.
    intros ND Nl d. split.
    - intros v. apply (integral_pos (reported dec f F l (score d) v)). intros; apply reported_bounds. apply
      noisy_max_integral.
    - set (s := score d). destruct (all_below_limits s l Nl) as [L U].
      assert (Cg : forall z, continuous (fun z => sum_over l (fun v => f (z - s v) * product_over (remove dec v l) (fun
        u => F (z - s u)))) z).
      { intros z. clear L U. assert (T : forall v, continuous (fun z => f (z - s v) * product_over (remove dec v l) (fun
        u => F (z - s u))) z).
        { intros v. apply (continuous_mult (fun z => f (z - s v)) (fun z => product_over (remove dec v l) (fun u => F (z
          - s u)))).
          apply (continuous_comp (fun z => z - s v) f). apply (ex_derive_continuous (fun z => z - s v)). auto_derive;
            auto. apply N.
          apply (product_continuous (remove dec v l) (fun u z => F (z - s u))). intros u. apply (shifted_continuous (- s
            u)). }
        apply (sum_continuous l (fun v z => f (z - s v) * product_over (remove dec v l) (fun u => F (z - s u)))), T. }
      pose proof (integral_antiderivative (all_below s l) _ 0 1 (fun z => all_below_derive s l z ND) Cg L U) as I1.
      pose proof (integral_sum l (fun v z => reported dec f F l s v (1 * z + - s v)) (fun v => noisy_max dec f F l score
        d v / 1)
        (fun v => integral_affine _ 1 (- s v) _ Rlt_0_1 (noisy_max_integral score d v))) as I2.
      rewrite (sum_ext l (noisy_max dec f F l score d) (fun v => noisy_max dec f F l score d v / 1))
        by (intros; unfold Rdiv; now rewrite Rinv_1, Rmult_1_r).
      rewrite (integral_unique _ _ (1 - 0) I2). ring. revert I1. apply integral_ext. intros z. apply sum_ext. intros v
        _.
      unfold reported. replace (1 * z + - s v) with (z - s v) by ring. f_equal.
      induction (remove dec v l) as [ | u m IH]; simpl; auto. rewrite IH. do 2 f_equal. ring.
  Qed.

  (** ** Privacy *)
  (** A density that falls by at most $e^{-\varepsilon}$ over $\Delta$, by which differences of scores move: the choice
      is
      $\varepsilon$-DP. *)
  Theorem noisy_max_pure (neighbours : D -> D -> Prop) (score : D -> O -> R) eps Delta :
    (forall z, f z <= exp eps * f (z + Delta)) ->
    (forall d d', neighbours d d' -> forall u v, (score d u - score d v) - (score d' u - score d' v) <= Delta) ->
    DP neighbours l eps 0 (noisy_max dec f F l score).
  Proof.
    intros H S d d' A. specialize (S d d' A). apply close_of_ratio. intros v _.
    pose proof (noisy_max_integral score d v) as I1.
    pose proof (integral_scal _ (exp eps) _ (integral_affine _ 1 Delta _ Rlt_0_1 (noisy_max_integral score d' v))) as
      I2.
    replace (noisy_max dec f F l score d' v / 1) with (noisy_max dec f F l score d' v) in I2
      by (unfold Rdiv; now rewrite Rinv_1, Rmult_1_r).
    refine (integral_le _ _ _ _ _ I1 I2). intros z. unfold reported. replace (1 * z + Delta) with (z + Delta) by ring.
    pose proof (proj1 N z) as P. pose proof (proj1 N (z + Delta)) as P'. specialize (H z).
    assert (G : 0 <= product_over (remove dec v l) (fun u => F (z + score d v - score d u))
      <= product_over (remove dec v l) (fun u => F (z + Delta + score d' v - score d' u))).
    { apply (product_between (remove dec v l) (fun u => F (z + score d v - score d u)) (fun u => F (z + Delta + score d'
      v - score d' u))).
      intros u _. split. apply distribution_bounds. apply distribution_grows. specialize (S v u). lra. }
    rewrite <- Rmult_assoc. apply Rmult_le_compat; lra.
  Qed.
End Noise.

(** ** Laplace noise *)

Definition laplace_cdf b t := if Rle_dec t 0 then exp (t / b) / 2 else 1 - exp (- (t / b)) / 2.
Lemma laplace_cdf_difference b y : 0 < b -> is_RInt (laplace 0 b) 0 y (laplace_cdf b y - / 2).
Proof.
  intros B. unfold laplace_cdf. destruct (Rle_dec y 0) as [Y | Y].
  - pose proof (laplace_between 0 b y B Y) as H. apply is_RInt_swap in H. rewrite Rminus_0_r in H.
    replace (exp (y / b) / 2 - / 2) with (opp (1 / 2 - exp (y / b) / 2)) by (unfold opp; simpl; field). exact H.
  - apply (is_RInt_ext (fun x => exp (- (x / b)) / (2 * b))).
    { intros x h. rewrite Rmin_left, Rmax_right in h by lra. unfold laplace. rewrite Rminus_0_r, Rabs_pos_eq by lra.
      reflexivity. }
    replace (1 - exp (- (y / b)) / 2 - / 2) with (minus (- (exp (- (y / b)) / 2)) (- (exp (- (0 / b)) / 2))).
    apply (is_RInt_derive (V := R_CompleteNormedModule) (fun x => - (exp (- (x / b)) / 2))).
    + intros x _. auto_derive. auto. unfold Rminus, Rdiv. field. lra.
    + intros x _. apply (ex_derive_continuous (fun x => exp (- (x / b)) / (2 * b))). auto_derive. auto.
    + replace (- (0 / b)) with 0 by (field; lra). rewrite exp_0. unfold minus, plus, opp; simpl. field.
Qed.
Theorem laplace_noise b : 0 < b -> noise (laplace 0 b) (laplace_cdf b).
Proof.
  intros B. assert (L : is_lim (fun t => exp (t / b) / 2) m_infty 0).
  { pose proof (exponential_vanishes 0 b B) as H.
    assert (K : filterlim (fun t => - t) minus_infinity plus_infinity).
    { intros P [M HM]. exists (- M). intros x X. apply HM. lra. }
    pose proof (filterlim_comp _ _ _ _ _ _ _ _ K H) as G.
    pose proof (is_lim_opp _ m_infty 0 G) as G'. simpl in G'. rewrite Ropp_0 in G'. revert G'. apply is_lim_ext.
    intros t. rewrite Rminus_0_r. replace (- (- t / b)) with (t / b) by (field; lra). ring. }
  split; [ | split; [ | split; [ | split]]].
  - intros z. left. now apply laplace_positive.
  - intros z. now apply continuous_laplace.
  - intros z. apply (is_derive_ext (fun y => plus (laplace_cdf b y - / 2) (/ 2))). intros; unfold plus; simpl; ring.
    replace (laplace 0 b z) with (plus (laplace 0 b z) 0) by (unfold plus; simpl; ring).
    apply (is_derive_plus (fun y => laplace_cdf b y - / 2) (fun _ => / 2)). 2: apply (is_derive_const (/ 2) z).
    apply (is_derive_RInt (laplace 0 b) (fun y => laplace_cdf b y - / 2) 0).
    apply filter_forall. intros; now apply laplace_cdf_difference. now apply continuous_laplace.
  - revert L. apply is_lim_ext_loc. exists 0. intros x X. unfold laplace_cdf. destruct (Rle_dec x 0); lra.
  - pose proof (exponential_vanishes 0 b B) as H.
    pose proof (is_lim_plus (fun _ => 1) _ p_infty 1 0 1 (is_lim_const 1 p_infty) H) as G.
    assert (G' : is_lim (fun y => 1 + - (exp (- ((y - 0) / b)) / 2)) p_infty 1).
    { apply G. simpl. unfold is_Rbar_plus. simpl. do 2 f_equal. ring. }
    revert G'. apply is_lim_ext_loc. exists 0. intros x X. unfold laplace_cdf. rewrite Rminus_0_r. destruct (Rle_dec x
      0); lra.
Qed.
(** Laplace noise of scale b, differences of scores moving by at most $\Delta$: the choice is $\frac\Delta b$-DP. *)
Theorem laplace_noisy_max {D O} (neighbours : D -> D -> Prop) dec (l : list O) (score : D -> O -> R) b Delta :
  0 < b -> 0 <= Delta ->
  (forall d d', neighbours d d' -> forall u v, (score d u - score d v) - (score d' u - score d' v) <= Delta) ->
  DP neighbours l (Delta / b) 0 (noisy_max dec (laplace 0 b) (laplace_cdf b) l score).
Proof.
  intros B D0 S. apply (noisy_max_pure (laplace 0 b) (laplace_cdf b) (laplace_noise b B)) with Delta; auto.
  intros z. pose proof (laplace_ratio 0 (- Delta) b z B) as H. rewrite Rminus_0_l, Ropp_involutive, Rabs_pos_eq in H by
    auto.
  replace (laplace (- Delta) b z) with (laplace 0 b (z + Delta)) in H. exact H.
  unfold laplace. do 5 f_equal. ring.
Qed.
