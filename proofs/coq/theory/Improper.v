(* Integrals over the real line.  Coquelicot's improper Riemann integral `is_RInt_gen f Fa Fb l` says that f is
   Riemann integrable between ends that tend along the filters Fa and Fb, and that the integrals tend to l.  Here:
   the whole line and half lines, uniqueness, order, antiderivatives, affine changes of variable, domination, and
   the fact that a bounded part of the line may be split off. *)
From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

Notation minus_infinity := (Rbar_locally m_infty).
Notation plus_infinity := (Rbar_locally p_infty).
(* the integral of f over the whole line, above a, below a: it exists and is l *)
Definition integral (f : R -> R) (l : R) : Prop := is_RInt_gen f minus_infinity plus_infinity l.
Definition integral_above (a : R) (f : R -> R) (l : R) : Prop := is_RInt_gen f (at_point a) plus_infinity l.
Definition integral_below (a : R) (f : R -> R) (l : R) : Prop := is_RInt_gen f minus_infinity (at_point a) l.
Definition integrable_on_intervals (f : R -> R) : Prop := forall a b, ex_RInt f a b.

Lemma ordered_line : filter_prod minus_infinity plus_infinity (fun ab => fst ab <= snd ab).
Proof.
  exists (fun x => x < 0) (fun x => 0 < x). now exists 0. now exists 0. intros x y; simpl; lra.
Qed.
Lemma ordered_above a : filter_prod (at_point a) plus_infinity (fun ab => fst ab <= snd ab).
Proof.
  exists (fun x => x = a) (fun x => a < x). easy. now exists a. intros x y; simpl; lra.
Qed.
Lemma ordered_below a : filter_prod minus_infinity (at_point a) (fun ab => fst ab <= snd ab).
Proof.
  exists (fun x => x < a) (fun x => x = a). now exists a. easy. intros x y; simpl; lra.
Qed.

Section Ends.
  Context {Fa Fb : (R -> Prop) -> Prop} {FFa : ProperFilter Fa} {FFb : ProperFilter Fb}.

  Lemma gen_unique f l l' : is_RInt_gen f Fa Fb l -> is_RInt_gen f Fa Fb l' -> l = l' :> R.
  Proof.
    intros H H'. rewrite <- (is_RInt_gen_unique f l H). now apply is_RInt_gen_unique.
  Qed.
  Lemma gen_ext f g (l : R) : (forall x, f x = g x) -> is_RInt_gen f Fa Fb l -> is_RInt_gen g Fa Fb l.
  Proof.
    intros E. apply is_RInt_gen_ext. apply filter_forall. auto.
  Qed.
  Lemma gen_scal f (k l : R) : is_RInt_gen f Fa Fb l -> is_RInt_gen (fun x => k * f x) Fa Fb (k * l).
  Proof. intros H. exact (is_RInt_gen_scal f k l H). Qed.
  Lemma gen_plus f g (l m : R) :
    is_RInt_gen f Fa Fb l -> is_RInt_gen g Fa Fb m -> is_RInt_gen (fun x => f x + g x) Fa Fb (l + m).
  Proof. intros H K. exact (is_RInt_gen_plus f g l m H K). Qed.
  Lemma gen_minus f g (l m : R) :
    is_RInt_gen f Fa Fb l -> is_RInt_gen g Fa Fb m -> is_RInt_gen (fun x => f x - g x) Fa Fb (l - m).
  Proof. intros H K. exact (is_RInt_gen_minus f g l m H K). Qed.
  Lemma gen_zero : is_RInt_gen (fun _ => 0) Fa Fb 0.
  Proof.
    intros P HP. unfold filtermapi. apply filter_forall. intros [a b]. exists (scal (b - a) (0 : R)). split.
    apply (is_RInt_const a b (0 : R)). unfold scal; simpl; unfold mult; simpl. rewrite Rmult_0_r.
    exact (locally_singleton _ _ HP).
  Qed.
  Lemma gen_pos f (l : R) : filter_prod Fa Fb (fun ab => fst ab <= snd ab) -> (forall x, 0 <= f x) ->
    is_RInt_gen f Fa Fb l -> 0 <= l.
  Proof.
    intros O P H. apply Rle_trans with (norm l). apply norm_ge_0.
    apply (RInt_gen_norm (Fa := Fa) (Fb := Fb) f f); auto. apply filter_forall. intros ab x _.
    unfold norm; simpl. unfold abs; simpl. rewrite Rabs_pos_eq; auto. lra.
  Qed.
  Lemma gen_le f g (l m : R) : filter_prod Fa Fb (fun ab => fst ab <= snd ab) -> (forall x, f x <= g x) ->
    is_RInt_gen f Fa Fb l -> is_RInt_gen g Fa Fb m -> l <= m.
  Proof.
    intros O P H K. enough (0 <= m - l) by lra. apply (gen_pos (fun x => g x - f x)); auto.
    intros x. specialize (P x). lra. now apply gen_minus.
  Qed.
  Lemma gen_antiderivative F f (la lb : R) : (forall x, is_derive F x (f x)) -> (forall x, continuous f x) ->
    filterlim F Fa (locally la) -> filterlim F Fb (locally lb) -> is_RInt_gen f Fa Fb (lb - la).
  Proof.
    intros D C A B. apply (gen_ext (Derive F)). intros x. now apply is_derive_unique.
    apply is_RInt_gen_Derive; auto.
    - apply filter_forall. intros ab x _. now exists (f x).
    - apply filter_forall. intros ab x _. apply (continuous_ext f); auto.
      intros y. symmetry. now apply is_derive_unique.
  Qed.
  (* a function that is integrable on intervals, non-negative and below an integrable one, is integrable *)
  Lemma gen_dominated f g (m : R) : filter_prod Fa Fb (fun ab => fst ab <= snd ab) ->
    integrable_on_intervals f -> integrable_on_intervals g ->
    (forall x, 0 <= f x <= g x) -> is_RInt_gen g Fa Fb m -> exists l : R, is_RInt_gen f Fa Fb l.
  Proof.
    intros O If Ig B G.
    destruct (proj1 (filterlim_locally_cauchy (F := filter_prod Fa Fb)
      (fun ab => RInt f (fst ab) (snd ab)))) as [l Hl].
    2: { exists l. intros P HP. specialize (Hl P HP). unfold filtermap in Hl. unfold filtermapi.
         revert Hl. apply filter_imp. intros [a b] Q. exists (RInt f a b). split; auto.
         exact (RInt_correct f a b (If a b)). }
    assert (D : forall a b, Rabs (RInt f a b) <= Rabs (RInt g a b)).
    { assert (W : forall a b, a <= b -> Rabs (RInt f a b) <= Rabs (RInt g a b)).
      { intros a b h. rewrite !Rabs_pos_eq. apply RInt_le; auto. intros x _. apply B.
        apply RInt_ge_0; auto. intros x _. specialize (B x). lra. apply RInt_ge_0; auto. intros x _. apply B. }
      intros a b. destruct (Rle_dec a b) as [h | h]; auto.
      rewrite <- (opp_RInt_swap f b a), <- (opp_RInt_swap g b a) by auto. unfold opp; simpl.
      rewrite !Rabs_Ropp. apply W. lra. }
    intros eps. pose (e := mkposreal (eps / 4) ltac:(destruct eps; simpl; lra)).
    assert (L : locally m (ball m e)) by apply locally_ball.
    destruct (G _ L) as [P Q HP HQ H]. exists (fun ab => P (fst ab) /\ Q (snd ab)). split.
    { exists P Q; auto. }
    assert (K : forall a b, P a -> Q b -> Rabs (RInt g a b - m) < eps / 4).
    { intros a b pa qb. destruct (H a b pa qb) as (y & Y & Z). simpl in Y. rewrite (is_RInt_unique _ _ _ _ Y).
      exact Z. }
    intros [a b] [a' b'] [pa qb] [pa' qb']. simpl in *.
    change (Rabs (RInt f a' b' - RInt f a b) < eps).
    assert (Ch : forall h, integrable_on_intervals h -> RInt h a' b' - RInt h a b = RInt h b b' - RInt h a a').
    { intros h Ih. pose proof (RInt_Chasles h a a' b' (Ih _ _) (Ih _ _)) as C1.
      pose proof (RInt_Chasles h a b b' (Ih _ _) (Ih _ _)) as C2. unfold plus in C1, C2; simpl in C1, C2. lra. }
    rewrite Ch by auto.
    assert (C1 : Rabs (RInt g b b') < eps / 2).
    { pose proof (RInt_Chasles g a b b' (Ig _ _) (Ig _ _)) as C. unfold plus in C; simpl in C.
      pose proof (K a b pa qb) as K1. pose proof (K a b' pa qb') as K2.
      apply Rabs_def2 in K1, K2. apply Rabs_def1; lra. }
    assert (C2 : Rabs (RInt g a a') < eps / 2).
    { pose proof (RInt_Chasles g a a' b (Ig _ _) (Ig _ _)) as C. unfold plus in C; simpl in C.
      pose proof (K a b pa qb) as K1. pose proof (K a' b pa' qb) as K2.
      apply Rabs_def2 in K1, K2. apply Rabs_def1; lra. }
    pose proof (D b b'). pose proof (D a a'). pose proof (Rabs_triang (RInt f b b') (- RInt f a a')) as T.
    rewrite Rabs_Ropp in T. unfold Rminus. lra.
  Qed.
End Ends.

(* y = u x + v *)
Lemma gen_affine {Fa Fb Ga Gb : (R -> Prop) -> Prop} {FFa : Filter Fa} {FFb : Filter Fb} f u v (l : R) :
  filterlim (fun x => u * x + v) Fa Ga -> filterlim (fun x => u * x + v) Fb Gb ->
  is_RInt_gen f Ga Gb l -> is_RInt_gen (fun x => u * f (u * x + v)) Fa Fb l.
Proof.
  intros A B H P HP. destruct (H P HP) as [Q S HQ HS K].
  exists (fun x => Q (u * x + v)) (fun x => S (u * x + v)).
  - exact (A Q HQ).
  - exact (B S HS).
  - intros a b q s. destruct (K _ _ q s) as (y & Y & Z). exists y. split; auto.
    exact (is_RInt_comp_lin f u v a b y Y).
Qed.
Lemma affine_at_plus_infinity u v : 0 < u -> filterlim (fun x => u * x + v) plus_infinity plus_infinity.
Proof.
  intros U P [M HM]. exists ((M - v) / u). intros x H. apply HM.
  apply (Rmult_lt_compat_l u) in H; auto. replace (u * ((M - v) / u)) with (M - v) in H by (field; lra). lra.
Qed.
Lemma affine_at_minus_infinity u v : 0 < u -> filterlim (fun x => u * x + v) minus_infinity minus_infinity.
Proof.
  intros U P [M HM]. exists ((M - v) / u). intros x H. apply HM.
  apply (Rmult_lt_compat_l u) in H; auto. replace (u * ((M - v) / u)) with (M - v) in H by (field; lra). lra.
Qed.
Lemma affine_at_point u v a : filterlim (fun x => u * x + v) (at_point a) (at_point (u * a + v)).
Proof. intros P H. exact H. Qed.

Lemma integral_unique f l l' : integral f l -> integral f l' -> l = l'.
Proof. intros H K. exact (@gen_unique _ _ _ _ f l l' H K). Qed.
Lemma integral_ext f g l : (forall x, f x = g x) -> integral f l -> integral g l.
Proof. intros E H. exact (@gen_ext _ _ _ _ f g l E H). Qed.
Lemma integral_scal f k l : integral f l -> integral (fun x => k * f x) (k * l).
Proof. intros H. exact (@gen_scal _ _ _ _ f k l H). Qed.
Lemma integral_plus f g l m : integral f l -> integral g m -> integral (fun x => f x + g x) (l + m).
Proof. intros H K. exact (@gen_plus _ _ _ _ f g l m H K). Qed.
Lemma integral_minus f g l m : integral f l -> integral g m -> integral (fun x => f x - g x) (l - m).
Proof. intros H K. exact (@gen_minus _ _ _ _ f g l m H K). Qed.
Lemma integral_pos f l : (forall x, 0 <= f x) -> integral f l -> 0 <= l.
Proof. intros P H. exact (@gen_pos _ _ _ _ f l ordered_line P H). Qed.
Lemma integral_le f g l m : (forall x, f x <= g x) -> integral f l -> integral g m -> l <= m.
Proof. intros P H K. exact (@gen_le _ _ _ _ f g l m ordered_line P H K). Qed.
Lemma integral_dominated f g m : integrable_on_intervals f -> integrable_on_intervals g ->
  (forall x, 0 <= f x <= g x) -> integral g m -> exists l, integral f l.
Proof. intros If Ig B H. exact (@gen_dominated _ _ _ _ f g m ordered_line If Ig B H). Qed.
Lemma integral_affine f u v l : 0 < u -> integral f l -> integral (fun x => f (u * x + v)) (l / u).
Proof.
  intros U H. apply (integral_ext (fun x => / u * (u * f (u * x + v)))). intros x. field. lra.
  unfold Rdiv. rewrite Rmult_comm. apply integral_scal.
  exact (@gen_affine _ _ minus_infinity plus_infinity _ _ f u v l
    (affine_at_minus_infinity u v U) (affine_at_plus_infinity u v U) H).
Qed.
Lemma integral_split f a l m : integral_below a f l -> integral_above a f m -> integral f (l + m).
Proof. intros H K. exact (is_RInt_gen_Chasles f a l m H K). Qed.

(* what f is on one side is all that counts *)
Lemma integral_above_ext a f g l : (forall x, a < x -> f x = g x) -> integral_above a f l -> integral_above a g l.
Proof.
  intros E H. refine (@is_RInt_gen_ext _ (at_point a) plus_infinity _ _ f g l _ H).
  exists (fun x => x = a) (fun x => a < x). easy. now exists a.
  intros x y; simpl. intros -> h z. rewrite Rmin_left, Rmax_right by lra. intros. apply E. lra.
Qed.
Lemma integral_below_ext a f g l : (forall x, x < a -> f x = g x) -> integral_below a f l -> integral_below a g l.
Proof.
  intros E H. refine (@is_RInt_gen_ext _ minus_infinity (at_point a) _ _ f g l _ H).
  exists (fun x => x < a) (fun x => x = a). now exists a. easy.
  intros x y; simpl. intros h -> z. rewrite Rmin_left, Rmax_right by lra. intros. apply E. lra.
Qed.
(* functions that vanish on one side of a *)
Lemma integral_of_above a f g l : (forall x, x < a -> g x = 0) -> (forall x, a < x -> g x = f x) ->
  integral_above a f l -> integral g l.
Proof.
  intros Z E H. rewrite <- (Rplus_0_l l). apply (integral_split g a).
  - apply (integral_below_ext a (fun _ => 0)). intros x h. now rewrite Z. exact gen_zero.
  - apply (integral_above_ext a f); auto. intros x h. now rewrite E.
Qed.
Lemma integral_of_below a f g l : (forall x, x < a -> g x = f x) -> (forall x, a < x -> g x = 0) ->
  integral_below a f l -> integral g l.
Proof.
  intros E Z H. rewrite <- (Rplus_0_r l). apply (integral_split g a).
  - apply (integral_below_ext a f); auto. intros x h. now rewrite E.
  - apply (integral_above_ext a (fun _ => 0)). intros x h. now rewrite Z. exact gen_zero.
Qed.
Lemma integral_above_split a b f l m : is_RInt f a b l -> integral_above b f m -> integral_above a f (l + m).
Proof.
  intros H K. refine (is_RInt_gen_Chasles f b l m _ K). now apply is_RInt_gen_at_point.
Qed.
(* x to -x *)
Lemma reflect_at_minus_infinity : filterlim (fun x => -1 * x + 0) minus_infinity plus_infinity.
Proof. intros P [M HM]. exists (- M). intros x h. apply HM. lra. Qed.
Lemma reflect_at_plus_infinity : filterlim (fun x => -1 * x + 0) plus_infinity minus_infinity.
Proof. intros P [M HM]. exists (- M). intros x h. apply HM. lra. Qed.
Lemma gen_reflect {Fa Fb Ga Gb : (R -> Prop) -> Prop} {FFa : ProperFilter Fa} {FFb : ProperFilter Fb}
  {FGa : Filter Ga} {FGb : Filter Gb} f (l : R) :
  filterlim (fun x => -1 * x + 0) Fa Gb -> filterlim (fun x => -1 * x + 0) Fb Ga ->
  is_RInt_gen f Ga Gb l -> is_RInt_gen (fun x => f (- x)) Fa Fb l.
Proof.
  intros A B H. pose proof (is_RInt_gen_swap (Fa := Gb) (Fb := Ga) f l H) as S.
  pose proof (@gen_affine _ _ _ _ _ _ f (-1) 0 _ A B S) as G.
  pose proof (@gen_scal _ _ _ _ _ (-1) _ G) as E. change (opp l) with (- l) in E.
  replace (-1 * - l) with l in E by ring. refine (@gen_ext _ _ _ _ _ _ _ _ E).
  intros x. replace (-1 * x + 0) with (- x) by ring. change (-1 * (-1 * f (- x)) = f (- x) :> R). ring.
Qed.
Lemma integral_reflect f l : integral f l -> integral (fun x => f (- x)) l.
Proof. exact (gen_reflect f l reflect_at_minus_infinity reflect_at_plus_infinity). Qed.
Lemma integral_above_reflect f a l : integral_above a f l -> integral_below (- a) (fun x => f (- x)) l.
Proof.
  assert (B : filterlim (fun x => -1 * x + 0) (at_point (- a)) (at_point a)).
  { intros P H. unfold filtermap, at_point. replace (-1 * - a + 0) with a by ring. exact H. }
  exact (gen_reflect f l reflect_at_minus_infinity B).
Qed.

(* integrals by an antiderivative *)
Lemma integral_antiderivative F f la lb : (forall x, is_derive F x (f x)) -> (forall x, continuous f x) ->
  filterlim F minus_infinity (locally la) -> filterlim F plus_infinity (locally lb) -> integral f (lb - la).
Proof. intros D C A B. exact (@gen_antiderivative _ _ _ _ F f la lb D C A B). Qed.
Lemma at_point_limit (F : R -> R) a : filterlim F (at_point a) (locally (F a)).
Proof. intros P H. exact (locally_singleton _ _ H). Qed.
Lemma integral_above_antiderivative F f a lb : (forall x, is_derive F x (f x)) -> (forall x, continuous f x) ->
  filterlim F plus_infinity (locally lb) -> integral_above a f (lb - F a).
Proof. intros D C B. exact (@gen_antiderivative _ _ _ _ F f (F a) lb D C (at_point_limit F a) B). Qed.
Lemma integral_below_antiderivative F f a la : (forall x, is_derive F x (f x)) -> (forall x, continuous f x) ->
  filterlim F minus_infinity (locally la) -> integral_below a f (F a - la).
Proof. intros D C A. exact (@gen_antiderivative _ _ _ _ F f la (F a) D C A (at_point_limit F a)). Qed.
