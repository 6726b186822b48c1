(* Adaptive composition of Gaussian answers, exactly.  The next query, and its noise, may depend on all answers so far.
   If answer i moves by at most mu_i standard deviations, whatever was answered before, then all answers together have
   at most the privacy curve of one Gaussian answer that moves by sqrt(mu_1^2 + ... + mu_k^2). *)
From Coq Require Import Reals Lra List.
From Coquelicot Require Import Coquelicot.
From Dpref Require Import Improper Density Erfc Gaussian GaussianCurve Vectors GaussianVector GaussianAverage
  GaussianVectorCurve.
Import ListNotations.
Open Scope R_scope.

(* ---------- definitions ---------- *)
(* the curve of one Gaussian answer, with its limit for mu = 0 *)
Definition gaussian_profile (eps mu : R) : R := if Rlt_dec 0 mu then gaussian_delta eps mu else Rmax 0 (1 - exp eps).
(* Gaussian differential privacy of a pair of densities: their curve is below that of N(mu, 1) and N(0, 1) *)
Definition gaussian_close (n : nat) (mu : R) (p q : list R -> R) : Prop :=
  forall eps, vector_close n eps (gaussian_profile eps mu) p q.
(* k answers: given the answers so far (latest first), the query has value f and the noise standard deviation s *)
Fixpoint answers (k : nat) (f s : list R -> R) (past v : list R) : R :=
  match k with
  | O => 1
  | S k => normal (f past) (s past) (hd 0 v) * answers k f s (hd 0 v :: past) (tl v)
  end.

(* ---------- the curve ---------- *)
Lemma gaussian_profile_positive eps mu : 0 < mu -> gaussian_profile eps mu = gaussian_delta eps mu.
Proof. intros M. unfold gaussian_profile. destruct (Rlt_dec 0 mu); tauto. Qed.
Lemma gaussian_profile_zero eps : gaussian_profile eps 0 = Rmax 0 (1 - exp eps).
Proof. unfold gaussian_profile. destruct (Rlt_dec 0 0); auto. lra. Qed.
Lemma gaussian_profile_increasing eps mu nu : 0 <= mu -> mu <= nu -> gaussian_profile eps mu <= gaussian_profile eps nu.
Proof.
  intros M L. unfold gaussian_profile. destruct (Rlt_dec 0 mu), (Rlt_dec 0 nu); try lra.
  now apply gaussian_delta_increasing. now apply gaussian_delta_floor.
Qed.
Lemma exp_sub u v : exp (u - v) = exp u * exp (- v).
Proof. apply exp_plus. Qed.
(* the privacy loss of the first answer *)
Definition normal_loss_at (mu nu s x : R) : R := (mu - nu) * (2 * x - mu - nu) / (2 * (s * s)).
Lemma normal_untilt mu nu s x : 0 < s -> normal mu s x * exp (- normal_loss_at mu nu s x) = normal nu s x.
Proof.
  intros S. pose proof (normal_ratio mu nu s x S) as E. fold (normal_loss_at mu nu s x) in E.
  pose proof (normal_positive nu s x S) as N. pose proof (exp_pos (normal_loss_at mu nu s x)) as P.
  assert (M : normal mu s x = exp (normal_loss_at mu nu s x) * normal nu s x) by (rewrite <- E; field; lra).
  rewrite M, exp_Ropp. field. lra.
Qed.

(* averaging the rest's curve over the first answer gives the curve of the sum of squares *)
Lemma profile_average_positive eps mu nu s M (m := (mu - nu) / s) (T := sqrt (m * m + M * M)) : 0 < s -> 0 < M ->
  integral (fun x => normal mu s x * gaussian_delta (eps - normal_loss_at mu nu s x) M) (gaussian_delta eps T).
Proof.
  intros S MP.
  assert (TT : T * T = m * m + M * M). { apply sqrt_sqrt. pose proof (Rle_0_sqr m). unfold Rsqr in *. nra. }
  assert (TP : 0 < T). { apply sqrt_lt_R0. pose proof (Rle_0_sqr m). unfold Rsqr in *. nra. }
  set (al := (mu - nu) / (s * s) / M).
  assert (R : sqrt (1 + al * s * (al * s)) = T / M).
  { replace (1 + al * s * (al * s)) with (T / M * (T / M)).
    apply sqrt_square. left. now apply Rdiv_lt_0_compat.
    replace (T / M * (T / M)) with (T * T / (M * M)) by (field; lra). rewrite TT. unfold al, m. field. lra. }
  set (c1 := - ((mu - nu) * (mu + nu) / (2 * (s * s))) / M + M / 2 - eps / M).
  set (c2 := - ((mu - nu) * (mu + nu) / (2 * (s * s))) / M + - M / 2 - eps / M).
  pose proof (normal_average mu s al c1 S) as H1. pose proof (normal_average nu s al c2 S) as H2. rewrite R in H1, H2.
  replace ((al * mu + c1) / (T / M)) with (T / 2 - eps / T) in H1.
  2: { apply (Rmult_eq_reg_r (2 * T)). 2: lra. replace ((T / 2 - eps / T) * (2 * T)) with (T * T - 2 * eps)
         by (field; lra).
       rewrite TT. unfold al, c1, m. field. lra. }
  replace ((al * nu + c2) / (T / M)) with (- T / 2 - eps / T) in H2.
  2: { apply (Rmult_eq_reg_r (2 * T)). 2: lra. replace ((- T / 2 - eps / T) * (2 * T))
         with (- (T * T) - 2 * eps) by (field; lra).
       rewrite TT. unfold al, c2, m. field. lra. }
  pose proof (integral_minus _ _ _ _ H1 (integral_scal _ (exp eps) _ H2)) as H. revert H. apply integral_ext.
  intros x. unfold gaussian_delta. pose proof (normal_untilt mu nu s x S) as U. rewrite <- U.
  replace (al * x + c1) with (M / 2 - (eps - normal_loss_at mu nu s x) / M)
    by (unfold al, c1, normal_loss_at; field; lra).
  replace (al * x + c2) with (- M / 2 - (eps - normal_loss_at mu nu s x) / M)
    by (unfold al, c2, normal_loss_at; field; lra).
  rewrite exp_sub. ring.
Qed.
Lemma profile_average eps mu nu s M (m := (mu - nu) / s) : 0 < s -> 0 <= M ->
  integral (fun x => normal mu s x * gaussian_profile (eps - normal_loss_at mu nu s x) M)
    (gaussian_profile eps (sqrt (m * m + M * M))).
Proof.
  intros S [P | <-].
  - rewrite gaussian_profile_positive.
    2: { apply sqrt_lt_R0. pose proof (Rle_0_sqr m). unfold Rsqr in *. nra. }
    apply (integral_ext (fun x => normal mu s x * gaussian_delta (eps - normal_loss_at mu nu s x) M)).
    intros x. now rewrite gaussian_profile_positive. now apply profile_average_positive.
  - replace (m * m + 0 * 0) with (m * m) by ring.
    apply (integral_ext (fun x => Rmax 0 (normal mu s x - exp eps * normal nu s x))).
    { intros x. rewrite gaussian_profile_zero. pose proof (normal_positive mu s x S) as N.
      rewrite <- RmaxRmult by lra. rewrite Rmult_0_r. f_equal. rewrite <- (normal_untilt mu nu s x S).
      rewrite exp_sub. ring. }
    destruct (Req_dec mu nu) as [E | N].
    + assert (Z : m = 0) by (unfold m; rewrite E; field; lra). rewrite Z. replace (0 * 0) with 0 by ring.
      rewrite sqrt_0, gaussian_profile_zero, E.
      pose proof (integral_scal _ (Rmax 0 (1 - exp eps)) _ (normal_integral nu s S)) as H. rewrite Rmult_1_r in H.
      revert H. apply integral_ext. intros x. pose proof (normal_positive nu s x S) as P.
      rewrite Rmult_comm, <- RmaxRmult by lra. rewrite Rmult_0_r. f_equal. ring.
    + assert (A : sqrt (m * m) = Rabs (mu - nu) / s).
      { change (m * m) with (Rsqr m). rewrite sqrt_Rsqr_abs. unfold m, Rdiv. rewrite Rabs_mult. f_equal.
        apply Rabs_pos_eq. left. now apply Rinv_0_lt_compat. }
      rewrite A, gaussian_profile_positive. exact (normal_hockey eps mu nu s S N).
      apply Rdiv_lt_0_compat; auto. apply Rabs_pos_lt. lra.
Qed.

(* ---------- one more answer ---------- *)
Theorem gaussian_close_adaptive n mu nu s m M ps qs : 0 < s -> Rabs (mu - nu) <= m * s -> 0 <= M ->
  (forall x, gaussian_close n M (ps x) (qs x)) ->
  gaussian_close (S n) (sqrt (m * m + M * M)) (adaptive (normal mu s) ps) (adaptive (normal nu s) qs).
Proof.
  intros S B MP H eps E P Q (g & G & HP) (h & K & HQ).
  set (m0 := (mu - nu) / s).
  assert (L : gaussian_profile eps (sqrt (m0 * m0 + M * M)) <= gaussian_profile eps (sqrt (m * m + M * M))).
  { apply gaussian_profile_increasing. apply sqrt_pos. apply sqrt_le_1_alt.
    assert (A : Rabs m0 <= m).
    { unfold m0, Rdiv. rewrite Rabs_mult, (Rabs_pos_eq (/ s)) by (left; now apply Rinv_0_lt_compat).
      apply (Rmult_le_reg_r s); auto. rewrite Rmult_assoc, Rinv_l; lra. }
    pose proof (Rabs_pos m0). replace (m0 * m0) with (Rabs m0 * Rabs m0)
      by (unfold Rabs; destruct (Rcase_abs m0); ring).
    nra. }
  enough (P - exp eps * Q <= gaussian_profile eps (sqrt (m0 * m0 + M * M))) by lra.
  refine (integral_le (fun x => g x - exp eps * h x) _ _ _ _
    (integral_minus _ _ _ _ HP (integral_scal _ (exp eps) _ HQ))
    (profile_average eps mu nu s M S MP)).
  intros x. pose proof (normal_positive mu s x S) as Np. pose proof (normal_positive nu s x S) as Nq.
  assert (Pp : vector_probability n (ps x) (fun v => E (x :: v)) (/ normal mu s x * g x)).
  { pose proof (iterated_scal n (/ normal mu s x) _ _ (G x)) as I. revert I. apply iterated_ext. intros v _.
    unfold vector_restricted, adaptive. simpl. destruct (E (x :: v)); [field; lra | ring]. }
  assert (Qq : vector_probability n (qs x) (fun v => E (x :: v)) (/ normal nu s x * h x)).
  { pose proof (iterated_scal n (/ normal nu s x) _ _ (K x)) as I. revert I. apply iterated_ext. intros v _.
    unfold vector_restricted, adaptive. simpl. destruct (E (x :: v)); [field; lra | ring]. }
  pose proof (H x (eps - normal_loss_at mu nu s x) _ _ _ Pp Qq) as C.
  set (d := gaussian_profile (eps - normal_loss_at mu nu s x) M) in *.
  apply (Rmult_le_compat_l (normal mu s x)) in C; [ | lra].
  replace (normal mu s x * (/ normal mu s x * g x)) with (g x) in C by (field; lra).
  rewrite exp_sub in C. pose proof (normal_untilt mu nu s x S) as U.
  replace (normal mu s x * (exp eps * exp (- normal_loss_at mu nu s x) * (/ normal nu s x * h x) + d))
    with (exp eps * (normal mu s x * exp (- normal_loss_at mu nu s x)) * / normal nu s x * h x
      + normal mu s x * d) in C by ring.
  rewrite U in C. replace (exp eps * normal nu s x * / normal nu s x * h x) with (exp eps * h x) in C
    by (field; lra). lra.
Qed.

(* ---------- any number of answers ---------- *)
Lemma gaussian_close_none p : p [] = 1 -> gaussian_close 0 0 p p.
Proof.
  intros One eps E P Q HP HQ. unfold vector_probability, vector_restricted in *. simpl in HP, HQ.
  rewrite gaussian_profile_zero, <- HP, <- HQ. rewrite One. pose proof (Rmax_l 0 (1 - exp eps)).
  pose proof (Rmax_r 0 (1 - exp eps)). destruct (E []); lra.
Qed.
Fixpoint sum_of_squares (mus : list R) : R := match mus with [] => 0 | mu :: mus => mu * mu + sum_of_squares mus end.
Lemma sum_of_squares_pos mus : 0 <= sum_of_squares mus.
Proof. induction mus; simpl. lra. nra. Qed.
(* the moves mus, in units of the noise, from the first answer to the last; `past` grows by one answer a step *)
Theorem adaptive_answers_gaussian f f' s : (forall past, 0 < s past) -> forall mus past,
  (forall k later, nth_error mus k <> None -> length later = k ->
    Rabs (f (later ++ past) - f' (later ++ past)) <= nth k mus 0 * s (later ++ past)) ->
  gaussian_close (length mus) (sqrt (sum_of_squares mus))
    (answers (length mus) f s past) (answers (length mus) f' s past).
Proof.
  intros S. induction mus as [ | mu mus IH]; intros past B.
  - simpl. rewrite sqrt_0. now apply gaussian_close_none.
  - pose proof (sum_of_squares_pos mus) as N. simpl length. simpl sum_of_squares.
    rewrite <- (sqrt_sqrt (sum_of_squares mus) N).
    apply (gaussian_close_adaptive (length mus) (f past) (f' past) (s past) mu (sqrt (sum_of_squares mus))
      (fun x => answers (length mus) f s (x :: past)) (fun x => answers (length mus) f' s (x :: past))); auto.
    + exact (B O [] ltac:(discriminate) eq_refl).
    + apply sqrt_pos.
    + intros x. apply IH. intros k later Hk Lk. pose proof (B (Datatypes.S k) (later ++ [x])) as C.
      rewrite <- app_assoc in C. apply C; auto. rewrite app_length, Lk. simpl. apply PeanoNat.Nat.add_1_r.
Qed.
Lemma sum_of_squares_repeat mu k : sum_of_squares (repeat mu k) = INR k * (mu * mu).
Proof. induction k as [ | k IH]; simpl sum_of_squares. simpl. ring. rewrite IH, S_INR. ring. Qed.
(* k answers, each of which moves by at most mu standard deviations between neighbours, whatever was answered before *)
Theorem adaptive_gaussian_DP {D} (adj : D -> D -> Prop) (f : D -> list R -> R) s k mu eps del :
  (forall past, 0 < s past) -> 0 <= mu ->
  (forall d d' past, adj d d' -> Rabs (f d past - f d' past) <= mu * s past) ->
  gaussian_profile eps (sqrt (INR k) * mu) <= del -> vector_DP adj k eps del (fun d => answers k (f d) s []).
Proof.
  intros S M B L d d' A E P Q HP HQ.
  pose proof (adaptive_answers_gaussian (f d) (f d') s S (repeat mu k) []) as H. rewrite repeat_length in H.
  assert (C : gaussian_close k (sqrt (sum_of_squares (repeat mu k))) (answers k (f d) s []) (answers k (f d') s [])).
  { apply H. intros j later Hj _. assert (J : (j < k)%nat).
    { apply nth_error_Some in Hj. now rewrite repeat_length in Hj. }
    assert (T : nth j (repeat mu k) 0 = mu) by (apply (repeat_spec k mu), nth_In; now rewrite repeat_length).
    rewrite T. now apply B. }
  rewrite sum_of_squares_repeat, sqrt_mult, sqrt_square in C by (auto using pos_INR || nra).
  specialize (C eps E P Q HP HQ). lra.
Qed.
