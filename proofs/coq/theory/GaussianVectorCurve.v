(* The exact privacy curve of the Gaussian mechanism for vectors: with mu = |f(d) - f(d')| / s,
     delta(eps) = Phi(mu / 2 - eps / mu) - e^eps Phi(- mu / 2 - eps / mu),
   attained at a half space.  The probability of a half space is found one coordinate at a time, by the normal average
   of the normal distribution function; no rotation is needed. *)
From Coq Require Import Reals Lra List.
From Coquelicot Require Import Coquelicot.
From Dpref Require Import Improper Density Erfc Gaussian GaussianCurve Vectors GaussianVector GaussianAverage.
Import ListNotations.
Open Scope R_scope.

(* ---------- one normal coordinate ---------- *)
Lemma normal_average mu s a c : 0 < s ->
  integral (fun x => normal mu s x * normal_cdf (a * x + c)) (normal_cdf ((a * mu + c) / sqrt (1 + (a * s) * (a * s)))).
Proof.
  intros S. pose proof (standard_average (a * s) (a * mu + c)) as H.
  apply (integral_affine _ (/ s) (- mu / s)) in H. 2: now apply Rinv_0_lt_compat.
  pose proof (integral_scal _ (/ s) _ H) as K. pose proof sqrt_2PI_pos as P.
  match type of K with integral _ ?v => replace (normal_cdf ((a * mu + c) / sqrt (1 + (a * s) * (a * s)))) with v
    by (field; lra) end.
  revert K. apply integral_ext. intros x. replace (a * s * (/ s * x + - mu / s) + (a * mu + c))
    with (a * x + c) by (field; lra).
  unfold normal. replace ((/ s * x + - mu / s - 0) * (/ s * x + - mu / s - 0) / (2 * (1 * 1)))
    with ((x - mu) * (x - mu) / (2 * (s * s))) by (field; lra). field. lra.
Qed.
(* the probability that y plus a normal variable of mean zero and variance w is positive *)
Definition positive_mass (y w : R) : R :=
  if Rlt_dec 0 w then normal_cdf (y / sqrt w) else if Rlt_dec 0 y then 1 else 0.
Lemma positive_mass_average mu s m c w : 0 < s -> 0 <= w ->
  integral (fun x => normal mu s x * positive_mass (c + m * x) w) (positive_mass (c + m * mu) (w + (m * s) * (m * s))).
Proof.
  intros S W. unfold positive_mass at 1. destruct (Rlt_dec 0 w) as [P | Z].
  - pose proof (sqrt_lt_R0 w P) as Q. unfold positive_mass. destruct (Rlt_dec 0 (w + m * s * (m * s))) as [_ | N].
    2: exfalso; apply N; pose proof (Rle_0_sqr (m * s)); unfold Rsqr in *; lra.
    pose proof (normal_average mu s (m / sqrt w) (c / sqrt w) S) as H.
    assert (E : sqrt (w + m * s * (m * s)) = sqrt w * sqrt (1 + m / sqrt w * s * (m / sqrt w * s))).
    { rewrite <- sqrt_mult. f_equal. rewrite <- (sqrt_sqrt w W) at 1.
      replace (w * (1 + m / sqrt w * s * (m / sqrt w * s)))
        with (sqrt w * sqrt w * (1 + m / sqrt w * s * (m / sqrt w * s))).
      field. lra. now rewrite (sqrt_sqrt w W). lra. pose proof (Rle_0_sqr (m / sqrt w * s)). unfold Rsqr in *. lra. }
    assert (R0 : 0 < sqrt (1 + m / sqrt w * s * (m / sqrt w * s))).
    { apply sqrt_lt_R0. pose proof (Rle_0_sqr (m / sqrt w * s)). unfold Rsqr in *. lra. }
    replace ((c + m * mu) / sqrt (w + m * s * (m * s)))
      with ((m / sqrt w * mu + c / sqrt w) / sqrt (1 + m / sqrt w * s * (m / sqrt w * s))).
    2: rewrite E; field; lra.
    revert H. apply integral_ext. intros x. do 2 f_equal. field. lra.
  - assert (w = 0) by lra. subst w. rewrite Rplus_0_l. clear Z W.
    destruct (Rtotal_order m 0) as [N | [-> | P]].
    + pose proof (normal_before mu s (- (c / m)) S) as H. unfold positive_mass.
      destruct (Rlt_dec 0 (m * s * (m * s))) as [_ | Z]. 2: exfalso; apply Z; assert (0 < - m * s) by nra; nra.
      replace (m * s * (m * s)) with ((- m * s) * (- m * s)) by ring. rewrite sqrt_square by nra.
      replace ((c + m * mu) / (- m * s)) with ((- (c / m) - mu) / s) by (field; lra).
      revert H. apply integral_ext. intros x. unfold restricted, before.
      assert (F : c + m * x = - m * (- (c / m) - x)) by (field; lra).
      destruct (Rlt_dec x _), (Rlt_dec 0 _); try ring; exfalso; nra.
    + unfold positive_mass. replace (0 * s * (0 * s)) with 0 by ring. destruct (Rlt_dec 0 0) as [F | _]. lra.
      pose proof (integral_scal _ (if Rlt_dec 0 (c + 0 * mu) then 1 else 0) _ (normal_integral mu s S)) as H.
      rewrite Rmult_1_r in H. revert H. apply integral_ext. intros x.
      replace (c + 0 * x) with (c + 0 * mu) by ring. ring.
    + pose proof (normal_beyond mu s (- (c / m)) S) as H. unfold positive_mass.
      destruct (Rlt_dec 0 (m * s * (m * s))) as [_ | Z]. 2: exfalso; apply Z; assert (0 < m * s) by nra; nra.
      rewrite sqrt_square by nra.
      replace ((c + m * mu) / (m * s)) with ((mu - - (c / m)) / s) by (field; lra).
      revert H. apply integral_ext. intros x. unfold restricted, beyond.
      assert (F : c + m * x = m * (x - - (c / m))) by (field; lra).
      destruct (Rlt_dec _ x), (Rlt_dec 0 _); try ring; exfalso; nra.
Qed.

(* ---------- half spaces ---------- *)
Fixpoint linear (ms v : list R) : R := match ms with [] => 0 | m :: ms => m * hd 0 v + linear ms (tl v) end.
Fixpoint squared_norm (ms : list R) : R := match ms with [] => 0 | m :: ms => m * m + squared_norm ms end.
Definition half_space (c : R) (ms v : list R) : bool := if Rlt_dec 0 (c + linear ms v) then true else false.
Lemma squared_norm_pos ms : 0 <= squared_norm ms.
Proof. induction ms; simpl. lra. nra. Qed.
Theorem half_space_probability s ms : 0 < s -> forall c mus, length mus = length ms ->
  vector_probability (length ms) (vector_normal mus s) (half_space c ms)
    (positive_mass (c + linear ms mus) (s * s * squared_norm ms)).
Proof.
  intros S. induction ms as [ | m ms IH]; intros c [ | mu mus] L; try discriminate.
  - unfold vector_probability, vector_restricted, half_space, positive_mass, vector_normal. simpl.
    rewrite Rmult_0_r. destruct (Rlt_dec 0 0) as [F | _]. lra. destruct (Rlt_dec 0 (c + 0)); reflexivity.
  - exists (fun x => normal mu s x * positive_mass (c + linear ms mus + m * x) (s * s * squared_norm ms)). split.
    + intros x. injection L as L. pose proof (iterated_scal _ (normal mu s x) _ _ (IH (c + m * x) mus L)) as H.
      replace (c + linear ms mus + m * x) with (c + m * x + linear ms mus) by ring.
      revert H. apply iterated_ext. intros v _. unfold vector_restricted, half_space. simpl.
      replace (c + (m * x + linear ms v)) with (c + m * x + linear ms v) by ring.
      destruct (Rlt_dec _ _); unfold vector_normal; simpl; ring.
    + replace (s * s * squared_norm (m :: ms)) with (s * s * squared_norm ms + m * s * (m * s)) by (simpl; ring).
      replace (c + linear (m :: ms) (mu :: mus)) with (c + linear ms mus + m * mu) by (simpl; ring).
      apply positive_mass_average; auto. apply Rmult_le_pos. nra. apply squared_norm_pos.
Qed.

(* ---------- the event where the loss is above eps ---------- *)
Fixpoint difference (u v : list R) : list R :=
  match u, v with a :: u, b :: v => a - b :: difference u v | _, _ => [] end.
Fixpoint squares_gap (u v : list R) : R :=
  match u, v with a :: u, b :: v => a * a - b * b + squares_gap u v | _, _ => 0 end.
Definition edge_constant (eps s : R) (mus nus : list R) : R := - (eps * (s * s)) - squares_gap mus nus / 2.
Lemma difference_length u : forall v, length v = length u -> length (difference u v) = length u.
Proof. induction u as [ | a u IH]; intros [ | b v] L; try discriminate; simpl; auto. Qed.
Lemma difference_norm u : forall v, squared_norm (difference u v) = squared_distance u v.
Proof. induction u as [ | a u IH]; intros [ | b v]; simpl; auto. rewrite IH. ring. Qed.
Lemma linear_first u : forall v, length v = length u ->
  linear (difference u v) u - squares_gap u v / 2 = squared_distance u v / 2.
Proof.
  induction u as [ | a u IH]; intros [ | b v] L; try discriminate; simpl. field. injection L as L. specialize (IH v L).
  simpl in IH. nra.
Qed.
Lemma linear_second u : forall v, length v = length u ->
  linear (difference u v) v - squares_gap u v / 2 = - (squared_distance u v / 2).
Proof.
  induction u as [ | a u IH]; intros [ | b v] L; try discriminate; simpl. field. injection L as L. specialize (IH v L).
  simpl in IH. nra.
Qed.
Lemma vector_normal_ratio s mus : 0 < s -> forall nus v, length nus = length mus ->
  vector_normal mus s v = exp ((linear (difference mus nus) v - squares_gap mus nus / 2) / (s * s))
    * vector_normal nus s v.
Proof.
  intros S. induction mus as [ | mu mus IH]; intros [ | nu nus] v L; try discriminate; unfold vector_normal; simpl.
  - replace ((0 - 0 / 2) / (s * s)) with 0 by (field; lra). rewrite exp_0. ring.
  - injection L as L. specialize (IH nus (tl v) L). unfold vector_normal in IH. rewrite IH.
    pose proof (normal_ratio mu nu s (hd 0 v) S) as E. pose proof (normal_positive nu s (hd 0 v) S) as N.
    assert (R : normal mu s (hd 0 v) = exp ((mu - nu) * (2 * hd 0 v - mu - nu) / (2 * (s * s))) * normal nu s (hd 0 v)).
    { rewrite <- E. field. lra. }
    rewrite R. match goal with |- exp ?A * ?n * (exp ?B * ?k) = exp ?C * (?n * ?k) =>
      replace (exp C) with (exp A * exp B); [ring | rewrite <- exp_plus; f_equal; field; lra] end.
Qed.
Lemma vector_loss_half_space eps s mus nus v : 0 < s -> length nus = length mus ->
  half_space (edge_constant eps s mus nus) (difference mus nus) v
  = vector_loss_above eps (vector_normal mus s) (vector_normal nus s) v.
Proof.
  intros S L. unfold half_space, vector_loss_above. rewrite (vector_normal_ratio s mus S nus v L).
  pose proof (vector_normal_positive nus s v S) as N. unfold edge_constant.
  set (l := linear (difference mus nus) v - squares_gap mus nus / 2).
  assert (Z : - (eps * (s * s)) - squares_gap mus nus / 2 + linear (difference mus nus) v
    = (l / (s * s) - eps) * (s * s)).
  { unfold l. field. lra. }
  rewrite Z. assert (Q : 0 < s * s) by nra.
  destruct (Rlt_dec 0 _) as [h | h]; destruct (Rlt_dec (exp eps * _) _) as [k | k]; auto; exfalso.
  - apply k. apply Rmult_lt_compat_r; auto. apply exp_increasing. nra.
  - apply h. apply Rmult_lt_reg_r in k; auto. apply exp_lt_inv in k. nra.
Qed.
Lemma vector_probability_event n p S S' P : (forall v, S v = S' v) ->
  vector_probability n p S P -> vector_probability n p S' P.
Proof. intros E. apply iterated_ext. intros v _. unfold vector_restricted. now rewrite E. Qed.

(* ---------- the curve ---------- *)
Theorem vector_normal_close_iff eps del s mus nus : 0 < s -> length nus = length mus -> 0 < squared_distance mus nus ->
  vector_close (length mus) eps del (vector_normal mus s) (vector_normal nus s)
  <-> gaussian_delta eps (sqrt (squared_distance mus nus) / s) <= del.
Proof.
  intros S L N. set (d2 := squared_distance mus nus) in *. pose proof (sqrt_lt_R0 d2 N) as D.
  assert (DD : sqrt d2 * sqrt d2 = d2) by (apply sqrt_sqrt; lra).
  assert (P : forall ks y, length ks = length mus -> edge_constant eps s mus nus + linear (difference mus nus) ks = y ->
    vector_probability (length mus) (vector_normal ks s)
      (vector_loss_above eps (vector_normal mus s) (vector_normal nus s))
      (normal_cdf (y / (s * sqrt d2)))).
  { intros ks y Lk Y. apply (vector_probability_event _ _ _ _ _ (fun v => vector_loss_half_space eps s mus nus v S L)).
    pose proof (half_space_probability s (difference mus nus) S (edge_constant eps s mus nus) ks) as H.
    rewrite difference_length, difference_norm, Y in H by auto. specialize (H Lk). fold d2 in H.
    unfold positive_mass in H. destruct (Rlt_dec 0 (s * s * d2)) as [_ | F].
    2: exfalso; apply F; apply Rmult_lt_0_compat; nra.
    replace (sqrt (s * s * d2)) with (s * sqrt d2) in H. exact H.
    rewrite sqrt_mult by nra. now rewrite sqrt_square by lra. }
  assert (E1 : edge_constant eps s mus nus + linear (difference mus nus) mus = d2 / 2 - eps * (s * s)).
  { pose proof (linear_first mus nus L). unfold edge_constant. fold d2 in H. lra. }
  assert (E2 : edge_constant eps s mus nus + linear (difference mus nus) nus = - (d2 / 2) - eps * (s * s)).
  { pose proof (linear_second mus nus L). unfold edge_constant. fold d2 in H. lra. }
  pose proof (P mus _ eq_refl E1) as P1. pose proof (P nus _ L E2) as P2.
  rewrite (vector_hockey_decides _ _ del _ _ _ _ P1 P2). unfold gaussian_delta.
  replace ((d2 / 2 - eps * (s * s)) / (s * sqrt d2)) with (sqrt d2 / s / 2 - eps / (sqrt d2 / s)).
  replace ((- (d2 / 2) - eps * (s * s)) / (s * sqrt d2)) with (- (sqrt d2 / s) / 2 - eps / (sqrt d2 / s)).
  reflexivity.
  - rewrite <- DD at 3. field. lra.
  - rewrite <- DD at 3. field. lra.
Qed.
Corollary vector_normal_refuted eps del s mus nus : 0 < s -> length nus = length mus -> 0 < squared_distance mus nus ->
  del < gaussian_delta eps (sqrt (squared_distance mus nus) / s) ->
  ~ vector_close (length mus) eps del (vector_normal mus s) (vector_normal nus s).
Proof. intros S L N G H. apply vector_normal_close_iff in H; auto. lra. Qed.

(* ---------- the mechanism ---------- *)
Lemma squared_distance_zero u : forall v, length v = length u -> squared_distance u v = 0 -> u = v.
Proof.
  induction u as [ | a u IH]; intros [ | b v] L Z; try discriminate; auto. injection L as L. simpl in Z.
  pose proof (squared_distance_pos u v). pose proof (pow2_ge_0 (a - b)) as P. simpl in P.
  f_equal. nra. apply IH; auto. lra.
Qed.
Theorem vector_gaussian_DP {D} (adj : D -> D -> Prop) n f Delta s eps del : 0 < s -> 0 < Delta ->
  (forall d, length (f d) = n) -> euclidean_sensitivity adj f Delta ->
  gaussian_delta eps (Delta / s) <= del -> vector_DP adj n eps del (vector_gaussian_mechanism f s).
Proof.
  intros S P Ln L C d d' A. unfold vector_gaussian_mechanism. specialize (L d d' A).
  assert (F : 0 < Delta / s) by (now apply Rdiv_lt_0_compat).
  destruct (squared_distance_pos (f d) (f d')) as [N | Z].
  - rewrite <- (Ln d). apply vector_normal_close_iff; auto. now rewrite !Ln.
    apply Rle_trans with (2 := C). apply gaussian_delta_increasing. apply Rdiv_lt_0_compat; auto. now apply sqrt_lt_R0.
    apply Rmult_le_compat_r; auto. left. now apply Rinv_0_lt_compat.
  - rewrite (squared_distance_zero (f d) (f d')) by (rewrite ?Ln; auto).
    pose proof (gaussian_delta_floor eps (Delta / s) F) as G.
    apply (vector_close_of_bound n eps del _ _ (fun v => Rmax 0 (1 - exp eps) * vector_normal (f d') s v)
      (Rmax 0 (1 - exp eps) * 1)).
    + intros v _. apply Rmult_le_pos. apply Rmax_l. left. now apply vector_normal_positive.
    + intros v _. pose proof (vector_normal_positive (f d') s v S). pose proof (Rmax_r 0 (1 - exp eps)). nra.
    + apply iterated_scal. rewrite <- (Ln d'). now apply vector_normal_density.
    + lra.
Qed.
Theorem vector_gaussian_DP_iff {D} (adj : D -> D -> Prop) n f Delta s eps del d d' : 0 < s -> 0 < Delta ->
  (forall d, length (f d) = n) -> euclidean_sensitivity adj f Delta -> adj d d' ->
  sqrt (squared_distance (f d) (f d')) = Delta ->
  vector_DP adj n eps del (vector_gaussian_mechanism f s) <-> gaussian_delta eps (Delta / s) <= del.
Proof.
  intros S P Ln L A E. split. 2: now apply vector_gaussian_DP.
  intros H. specialize (H d d' A). unfold vector_gaussian_mechanism in H. rewrite <- (Ln d) in H. rewrite <- E.
  apply vector_normal_close_iff in H; auto. now rewrite !Ln.
  destruct (squared_distance_pos (f d) (f d')) as [N | Z]; auto. rewrite <- Z, sqrt_0 in E. lra.
Qed.
Corollary vector_gaussian_DP_refuted {D} (adj : D -> D -> Prop) n f s eps del d d' : 0 < s ->
  (forall d, length (f d) = n) -> adj d d' -> 0 < squared_distance (f d) (f d') ->
  del < gaussian_delta eps (sqrt (squared_distance (f d) (f d')) / s) ->
  ~ vector_DP adj n eps del (vector_gaussian_mechanism f s).
Proof.
  intros S Ln A N G H. specialize (H d d' A). rewrite <- (Ln d) in H. revert H.
  apply vector_normal_refuted; auto. now rewrite !Ln.
Qed.
