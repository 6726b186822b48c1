(** * Filters and Azuma's inequality on output spaces of any kind

    A dialogue asks one question after the other, each chosen by the answers before it; laws and divergences are those
    of AnyOutputs.v, and what was said is the list of all answers, the latest first.

    Proved here: where along every path the divergences of the questions add up to r at most, whatever was answered, the
    divergence of all that is said is at most r, so that zCDP has a filter; Gaussian answers of any number of
    coordinates are such questions; approximate zCDP adds up; the exponential moment and the tail of a sum of
    increments, each of which lies in an interval of known width and has a mean of at most zero given the past. *)
From Coquelicot Require Import Coquelicot.
From Dpref Require Import Finite Convexity Conversion Concentrated Improper Density Gaussian Vectors GaussianVector.
From Dpref Require Import AnyOutputs.

(** ** Dialogues *)

Inductive dialogue (D O : Type) : Type :=
  | finish : dialogue D O
  | question : (D -> means O) -> (O -> dialogue D O) -> dialogue D O.
Arguments finish {D O}.
Arguments question {D O} _ _.
(** The law of what is said. *)
Fixpoint said {D O} (it : dialogue D O) (d : D) (past : list O) : means (list O) :=
  match it with finish => known past | question M next => after (M d) (fun o => said (next o) d (o :: past)) end.
(** Every question is asked of a law. *)
Fixpoint asks_laws {D O} (it : dialogue D O) : Prop :=
  match it with finish => True | question M next => (forall d, is_law (M d)) /\ forall o, asks_laws (next o) end.
Lemma said_law {D O} (it : dialogue D O) d : asks_laws it -> forall past, is_law (said it d past).
Proof.
  induction it as [ | M next IH]; simpl; intros L past. apply law_known. apply law_after. apply L. intros o.
  apply IH, L.
Qed.

(** ** Filters *)

(** Along every path the divergences of order a add up to at most r. *)
Fixpoint spends_divergence {D O} (neighbours : D -> D -> Prop) a r (it : dialogue D O) : Prop :=
  match it with
  | finish => 0 <= r
  | question M next => exists s, (forall d d', neighbours d d' -> divergence a s (M d) (M d'))
                       /\ forall o, spends_divergence neighbours a (r - s) (next o)
  end.
Theorem divergence_filter {D O} (neighbours : D -> D -> Prop) a (it : dialogue D O) d d' : 1 < a -> asks_laws it ->
  neighbours d d' -> forall r past, spends_divergence neighbours a r it ->
  divergence a r (said it d past) (said it d' past).
Proof.
  intros A1 L E. induction it as [ | M next IH]; simpl in *; intros r past H.
  - intros f g v w B G T Hf Hg W. pose proof (divergence_known a past A1 f g v w B G T Hf Hg W) as X.
    eapply Rle_trans. exact X. apply exp_mono. pose proof (share a A1). apply Rmult_le_compat_l; lra.
  - destruct H as (s & H & N). replace r with (s + (r - s)) by ring. apply divergence_after; auto.
    + apply L.
    + intros o. apply said_law, L.
    + intros o. apply IH; auto. apply L.
Qed.
(** Along every path the zCDP of the questions adds up to at most rho. *)
Fixpoint spends_concentrated {D O} (neighbours : D -> D -> Prop) rho (it : dialogue D O) : Prop :=
  match it with
  | finish => 0 <= rho
  | question M next => exists s, concentrated neighbours s M
                       /\ forall o, spends_concentrated neighbours (rho - s) (next o)
  end.
(** Whitehouse, Ramdas, Rogers and Wu 2023, Theorem 4, of zCDP. *)
Theorem zcdp_filter {D O} (neighbours : D -> D -> Prop) rho (it : dialogue D O) : asks_laws it ->
  spends_concentrated neighbours rho it -> forall past, concentrated neighbours rho (fun d => said it d past).
Proof.
  intros L H past d d' a E A1. apply divergence_filter with neighbours; auto. clear L. revert rho H.
  induction it as [ | M next IH]; simpl; intros rho H. apply Rmult_le_pos; lra. destruct H as (s & H & N).
  exists (s * a). split. intros e e' X. now apply H. intros o. rewrite <- Rmult_minus_distr_r. apply IH, N.
Qed.
(** Normal noise of standard deviation s on n numbers that move by at most Delta is such a question. *)
Theorem gaussian_concentrated {D} (neighbours : D -> D -> Prop) n (f : D -> list R) Delta s : 0 < s ->
  (forall d, length (f d) = n) -> euclidean_sensitivity neighbours f Delta ->
  (forall d, is_law (by_density n (vector_gaussian_mechanism f s d)))
  /\ concentrated neighbours (Delta ^ 2 / (2 * (s * s))) (fun d => by_density n (vector_gaussian_mechanism f s d)).
Proof.
  intros S L N. split.
  - intros d. apply law_of_density. rewrite <- (L d). now apply vector_normal_density.
  - intros d d' a E A1. destruct (vector_gaussian_zCDP neighbours n f Delta s S L N d d' a E A1) as (r & H & B).
    apply divergence_of_densities with r; auto; try (intros v; now apply vector_normal_positive). lra.
Qed.

(** ** Approximate zCDP *)

(** Outside of a failure of mass del the law P is P'; said for what is smaller than f, so that it is kept by what comes
    after. *)
Definition fails {A} del (P P' : means A) := forall f f' v v', (forall x, 0 <= f' x <= f x) -> P f v -> P' f' v' ->
  (1 - del) * v' <= v.
(** $\rho$-zCDP outside of failures of mass $\delta$ on both sides (Bun and Steinke 2016, Definition 8.1). *)
Definition approximately_concentrated {D A} (neighbours : D -> D -> Prop) del rho (M : D -> means A)
  (part : D -> D -> means A) := forall d d', neighbours d d' -> fails del (M d) (part d d') /\
  fails del (M d') (part d' d) /\ forall a, 1 < a -> divergence a (rho * a) (part d d') (part d' d).
Lemma fails_after {A C} x y (P P' : means A) (k k' : A -> means C) : 0 <= y <= 1 -> is_law P' ->
  (forall a, is_law (k' a)) -> fails x P P' -> (forall a, fails y (k a) (k' a)) ->
  fails (x + (1 - x) * y) (after P k) (after P' k').
Proof.
  intros Y (S & _) K H I f f' v v' B (F & HF & PF) (F' & HF' & PF').
  replace ((1 - (x + (1 - x) * y)) * v') with ((1 - x) * ((1 - y) * v')) by ring.
  apply (H F (fun a => (1 - y) * F' a)); auto. intros a. split. 2: now apply (I a f f' (F a) (F' a) B).
  apply Rmult_le_pos. lra. apply (K a) with f'; auto. intros c. apply B.
Qed.
(** Bun and Steinke 2016, Section 8: the rhos add, and a failure has mass $\delta_1+(1-\delta_1)\delta_2$. *)
Theorem approximate_zcdp_after {D A C} (neighbours : D -> D -> Prop) x1 x2 r1 r2 (M : D -> means A)
    (N : A -> D -> means C) part1 part2 : (forall d d', neighbours d d' -> neighbours d' d) -> 0 <= x2 <= 1 ->
  (forall d d', is_law (part1 d d')) -> (forall a d d', is_law (part2 a d d')) ->
  approximately_concentrated neighbours x1 r1 M part1 ->
  (forall a, approximately_concentrated neighbours x2 r2 (N a) (part2 a)) ->
  approximately_concentrated neighbours (x1 + (1 - x1) * x2) (r1 + r2) (fun d => after (M d) (fun a => N a d))
    (fun d d' => after (part1 d d') (fun a => part2 a d d')).
Proof.
  intros Sy X L1 L2 H1 H2 d d' E. destruct (H1 d d' E) as (A1 & A2 & A3). split; [ | split].
  - apply fails_after; auto. intros a. apply (H2 a d d' E).
  - apply fails_after; auto. intros a. apply (H2 a d d' E).
  - intros a L. replace ((r1 + r2) * a) with (r1 * a + r2 * a) by ring. apply divergence_after; auto.
    intros o. now apply (H2 o d d' E).
Qed.

(** ** Azuma's inequality *)

(** What an increment adds, answer by answer. *)
Fixpoint sum_said {O} (inc : list O -> O -> R) (t : list O) : R :=
  match t with [] => 0 | o :: past => inc past o + sum_said inc past end.
(** Each increment lies between lo and lo + c, has a mean of at most zero given the past, and along every path the
    squares of the widths c add up to at most v. *)
Fixpoint fair {D O} (d : D) (inc : list O -> O -> R) past v (it : dialogue D O) : Prop :=
  match it with
  | finish => 0 <= v
  | question M next => exists lo c m, 0 < c /\ (forall o, lo <= inc past o <= lo + c) /\ M d (inc past) m /\ m <= 0
                       /\ forall o, fair d inc (o :: past) (v - c * c) (next o)
  end.
Lemma law_le {A} (m : means A) f g v w : is_law m -> (forall x, f x <= g x) -> m f v -> m g w -> v <= w.
Proof.
  intros (S & T & N & _) L H I. enough (0 <= w + -1 * v) by lra.
  apply (N (fun x => g x + -1 * f x)). intros x. specialize (L x). lra. apply T; auto.
Qed.
(** Hoeffding's lemma for a mean. *)
Lemma hoeffding_mean {A} (m : means A) X lo c mu s F w K : is_law m -> 0 < c -> (forall x, lo <= X x <= lo + c) ->
  m X mu -> mu <= 0 -> 0 <= s -> 0 <= K -> (forall x, F x <= K * exp (s * X x)) -> m F w ->
  w <= K * exp (s * s * (c * c) / 8).
Proof.
  intros L C B HX M S K0 HF Hw. pose proof L as (Sc & Ad & N & U).
  set (e0 := exp (s * lo)). set (e1 := exp (s * (lo + c))).
  assert (Mu : lo <= mu <= lo + c).
  { pose proof (law_le m (fun _ => lo * 1) X (lo * 1) mu L ltac:(intros x; specialize (B x); lra) (Sc _ lo _ U) HX).
    pose proof (law_le m X (fun _ => (lo + c) * 1) mu ((lo + c) * 1) L ltac:(intros x; specialize (B x); lra) HX
      (Sc _ (lo + c) _ U)). lra. }
  assert (H : w <= K * ((lo + c - mu) / c * e0 + (mu - lo) / c * e1)).
  { apply (law_le m F (fun x => K * ((lo + c) / c * e0 + - lo / c * e1) * 1 + K * (e1 / c - e0 / c) * X x)); auto.
    - intros x. eapply Rle_trans. apply HF.
      replace (K * ((lo + c) / c * e0 + - lo / c * e1) * 1 + K * (e1 / c - e0 / c) * X x)
        with (K * ((lo + c - X x) / c * e0 + (X x - lo) / c * e1)) by (field; lra).
      apply Rmult_le_compat_l; auto. specialize (B x). set (t := (X x - lo) / c).
      assert (T : 0 <= t <= 1).
      { unfold t. split. apply Rmult_le_pos. lra. left. now apply Rinv_0_lt_compat. apply (Rmult_le_reg_r c); auto.
        unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
      replace ((lo + c - X x) / c) with (1 - t) by (unfold t; field; lra).
      replace (s * X x) with ((1 - t) * (s * lo) + t * (s * (lo + c))) by (unfold t; field; lra).
      apply (exp_convex t (s * lo) (s * (lo + c)) T).
    - replace (K * ((lo + c - mu) / c * e0 + (mu - lo) / c * e1))
        with (K * ((lo + c) / c * e0 + - lo / c * e1) * 1 + K * (e1 / c - e0 / c) * mu) by (field; lra).
      apply Ad; apply Sc; auto. }
  eapply Rle_trans. exact H. apply Rmult_le_compat_l; auto.
  set (p := fun b : bool => if b then (mu - lo) / c else (lo + c - mu) / c).
  set (x := fun b : bool => if b then lo + c else lo).
  assert (P : distribution [true; false] p).
  { split. intros [ | ]; unfold p; apply Rmult_le_pos; try lra; left; now apply Rinv_0_lt_compat. simpl. field. lra. }
  pose proof (hoeffding_lemma [true; false] p x lo (lo + c) s P ltac:(lra) ltac:(intros [ | ] _ _; unfold x; lra)) as E.
  assert (Z : mean [true; false] p x = mu) by (unfold mean, p, x; simpl; field; lra).
  rewrite Z in E. unfold p, x in E. simpl in E. fold e0 e1 in E. replace (lo + c - lo) with c in E by ring.
  assert (Y : s * mu + s * s * (c * c) / 8 <= s * s * (c * c) / 8) by nra.
  apply exp_mono in Y. lra.
Qed.
Lemma times_exp C a b : C * exp a * exp b = C * exp (a + b).
Proof. rewrite exp_plus. ring. Qed.
(** $\mathbb E\,e^{s\sum X_i}\le e^{s^2\sum c_i^2/8}$, also of what is smaller than C times that. *)
Theorem said_exponential_moment {D O} (d : D) inc (it : dialogue D O) s : 0 <= s -> asks_laws it -> forall past v C f w,
  fair d inc past v it -> 0 <= C -> (forall t, f t <= C * exp (s * sum_said inc t)) -> said it d past f w ->
  w <= C * exp (s * sum_said inc past + s * s * v / 8).
Proof.
  intros S. induction it as [ | M next IH]; simpl; intros P past v C f w H C0 F W.
  - unfold known in W. subst w. eapply Rle_trans. apply F. apply Rmult_le_compat_l; auto. apply exp_mono.
    assert (0 <= s * s * v) by (repeat apply Rmult_le_pos; auto). lra.
  - destruct P as [PM P]. destruct H as (lo & c & m & C1 & B & HM & M0 & H). destruct W as (G & HG & W).
    set (K := C * exp (s * sum_said inc past + s * s * (v - c * c) / 8)).
    assert (K0 : 0 <= K) by (apply Rmult_le_pos; auto; left; apply exp_pos).
    assert (X : w <= K * exp (s * s * (c * c) / 8)).
    { apply (hoeffding_mean (M d) (inc past) lo c m s G w K); auto. intros o.
      eapply Rle_trans. apply (IH o (P o) (o :: past) (v - c * c) C f (G o)); auto. simpl. unfold K.
      rewrite times_exp. right. f_equal. f_equal. ring. }
    eapply Rle_trans. exact X. unfold K. rewrite times_exp. right. f_equal. f_equal. field.
Qed.
(** $P[\sum X_i\ge x]\le e^{-2x^2/\sum c_i^2}$. *)
Theorem said_azuma {D O} (d : D) inc (it : dialogue D O) v x w : 0 < v -> 0 <= x -> asks_laws it ->
  fair d inc [] v it -> said it d [] (fun t => if Rle_dec x (sum_said inc t) then 1 else 0) w ->
  w <= exp (- (2 * (x * x)) / v).
Proof.
  intros V X P H W. set (s := 4 * x / v).
  assert (S : 0 <= s) by (apply Rmult_le_pos; [lra | left; now apply Rinv_0_lt_compat]).
  assert (E : w <= exp (- (s * x)) * exp (s * sum_said inc [] + s * s * v / 8)).
  { apply (said_exponential_moment d inc it s S P [] v _ _ w H) with (3 := W). left; apply exp_pos.
    intros t. rewrite <- exp_plus. destruct (Rle_dec x (sum_said inc t)). 2: left; apply exp_pos.
    rewrite <- exp_0. apply exp_mono. assert (0 <= s * (sum_said inc t - x)) by (apply Rmult_le_pos; lra). lra. }
  eapply Rle_trans. exact E. rewrite <- exp_plus. right. f_equal. simpl. unfold s. field. lra.
Qed.
(** $P[\sum X_i\ge x]\le e^{-x^2/(2\sum c_i^2)}$ for $|X_i|\le c_i$, whose intervals have the widths $2c_i$. *)
Corollary said_azuma_symmetric {D O} (d : D) inc (it : dialogue D O) v x w : 0 < v -> 0 <= x -> asks_laws it ->
  fair d inc [] (4 * v) it -> said it d [] (fun t => if Rle_dec x (sum_said inc t) then 1 else 0) w ->
  w <= exp (- (x * x) / (2 * v)).
Proof.
  intros V X P H W. replace (- (x * x) / (2 * v)) with (- (2 * (x * x)) / (4 * v)) by (field; lra).
  apply (said_azuma d inc it (4 * v) x w); auto. lra.
Qed.
