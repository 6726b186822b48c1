(** * Mechanisms on finite output spaces

    Proved here: the exponential mechanism has a bounded range, is purely private and zCDP with eps^2/8; randomised
    response among any number of answers is purely private, and no other mechanism of its epsilon has a larger
    Kullback-Leibler divergence. *)
From Dpref Require Import Finite Interaction Approximate Convexity Renyi Conversion Concentrated.

(** ** Bounded range *)

Lemma range_pure {O} (l : list O) eps p q : distribution l p -> distribution l q -> 0 <= eps ->
  bounded_range l eps p q -> forall o, In o l -> p o <= exp eps * q o.
Proof.
  intros [P Sp] [Q Sq] E [t B] o I.
  assert (T : exp t <= 1).
  { rewrite <- Sp. replace (exp t) with (exp t * sum_over l q) by (rewrite Sq; ring). rewrite <- sum_scal.
    apply sum_le. intros x J. apply (B x J). }
  destruct (B o I) as [_ U]. eapply Rle_trans. apply U. apply Rmult_le_compat_r; auto.
  rewrite exp_plus. pose proof (exp_pos eps). nra.
Qed.

(** ** The exponential mechanism *)

(** Candidate o is drawn with a probability proportional to exp(score / lambda). *)
Definition exponential {D O} (l : list O) (score : D -> O -> R) lambda d o :=
  exp (score d o / lambda) / sum_over l (fun o => exp (score d o / lambda)).
Lemma exponential_mechanism_distribution {D O} (l : list O) (score : D -> O -> R) lambda : l <> [] ->
  mechanism l (exponential l score lambda).
Proof.
  intros L d. set (w o := exp (score d o / lambda)). assert (W : 0 < sum_over l w) by (apply sum_pos; auto; intros;
    apply exp_pos).
  split. intros o. left. apply Rdiv_lt_0_compat; auto. apply exp_pos.
  transitivity (sum_over l (fun o => w o * / sum_over l w)). reflexivity. rewrite sum_scal_r. field. lra.
Qed.
(** Scores move by at most Delta: the ratios of all candidates are within exp(2 Delta / lambda) of one another. *)
Theorem exponential_range {D O} (neighbours : D -> D -> Prop) (l : list O) (score : D -> O -> R) lambda Delta :
  l <> [] -> 0 < lambda -> (forall d d', neighbours d d' -> forall o, Rabs (score d o - score d' o) <= Delta) ->
  forall d d', neighbours d d' -> bounded_range l (2 * Delta / lambda) (exponential l score lambda d) (exponential l
    score lambda d').
Proof.
  intros L T S d d' N. set (w d o := exp (score d o / lambda)).
  assert (W : forall d, 0 < sum_over l (w d)) by (intros; apply sum_pos; auto; intros; apply exp_pos).
  pose proof (W d) as W1. pose proof (W d') as W2.
  exists (ln (sum_over l (w d') / sum_over l (w d)) - Delta / lambda). intros o _.
  assert (E : exponential l score lambda d o
    = exp (ln (sum_over l (w d') / sum_over l (w d)) + (score d o - score d' o) / lambda) * exponential l score
      lambda d' o).
  { rewrite exp_plus, exp_ln by (apply Rdiv_lt_0_compat; auto). unfold exponential. fold (w d) (w d').
    replace ((score d o - score d' o) / lambda) with (score d o / lambda + - (score d' o / lambda)) by (field; lra).
    rewrite exp_plus, exp_Ropp. pose proof (exp_pos (score d' o / lambda)). field. repeat split; lra. }
  rewrite E. assert (Q : 0 <= exponential l score lambda d' o) by (apply (exponential_mechanism_distribution l score
    lambda L d')).
  specialize (S d d' N o). pose proof (Rle_abs (score d o - score d' o)).
  pose proof (Rle_abs (- (score d o - score d' o))).
  rewrite Rabs_Ropp in H0. pose proof (Rinv_0_lt_compat _ T) as I.
  split; apply Rmult_le_compat_r; auto; apply exp_mono; unfold Rdiv; nra.
Qed.
(** The exponential mechanism is $\frac{2\Delta}\lambda$-DP. *)
Theorem exponential_pure {D O} (neighbours : D -> D -> Prop) (l : list O) (score : D -> O -> R) lambda Delta :
  l <> [] -> 0 < lambda -> 0 <= Delta -> (forall d d', neighbours d d' ->
    forall o, Rabs (score d o - score d' o) <= Delta) ->
  DP neighbours l (2 * Delta / lambda) 0 (exponential l score lambda).
Proof.
  intros L T D0 S d d' N. apply close_of_ratio. apply range_pure; try apply exponential_mechanism_distribution; auto.
  apply Rmult_le_pos. lra. left. now apply Rinv_0_lt_compat. now apply (exponential_range neighbours).
Qed.
(** The exponential mechanism is $\frac18\bigl(\frac{2\Delta}\lambda\bigr)^2$-zCDP. *)
Theorem exponential_zcdp {D O} (neighbours : D -> D -> Prop) (l : list O) (score : D -> O -> R) lambda Delta :
  l <> [] -> 0 < lambda -> 0 < Delta -> (forall d d', neighbours d d' ->
    forall o, Rabs (score d o - score d' o) <= Delta) ->
  zCDP neighbours l (2 * Delta / lambda * (2 * Delta / lambda) / 8) (exponential l score lambda).
Proof.
  intros L T D0 S a A d d' N. apply bounded_range_zcdp; auto; try apply exponential_mechanism_distribution; auto.
  apply Rdiv_lt_0_compat; lra. now apply (exponential_range neighbours).
Qed.

(** ** Randomised response *)

(** The true answer of n, with e^eps times the probability of any other. *)
Definition response eps (n d o : nat) := (if Nat.eqb d o then exp eps else 1) / (exp eps + INR n - 1).
Lemma sum_one_of n d f : (d < n)%nat ->
  sum_over (seq 0 n) (fun o => if Nat.eqb d o then f else 1) = f + INR n - 1.
Proof.
  intros H. induction n as [ | n IH]. lia. rewrite seq_S, sum_app, S_INR. simpl sum_over.
  destruct (Nat.eq_dec d n) as [-> | N].
  - rewrite Nat.eqb_refl. rewrite (sum_ext _ _ (fun _ => 1)).
    2: { intros o I. apply in_seq in I. destruct (Nat.eqb_spec n o); auto. lia. }
    enough (forall a k, sum_over (seq a k) (fun _ => 1) = INR k) as ->. lra.
    intros a k. revert a. induction k as [ | k Ik]; intros a. reflexivity. rewrite S_INR. simpl. rewrite Ik. lra.
  - rewrite IH by lia. destruct (Nat.eqb_spec d n). easy. lra.
Qed.
Theorem response_distribution eps n d : 0 <= eps -> (d < n)%nat -> distribution (seq 0 n) (response eps n d).
Proof.
  intros E H. pose proof (exp_ineq1_le eps). assert (1 <= INR n) by (replace 1 with (INR 1) by reflexivity;
    apply le_INR; lia).
  split. intros o. unfold response. apply Rmult_le_pos. destruct (Nat.eqb d o); lra. left; apply Rinv_0_lt_compat;
    lra.
  unfold response, Rdiv. rewrite sum_scal_r, sum_one_of by auto. field. lra.
Qed.
(** Randomised response among n answers is $\varepsilon$-DP. *)
Theorem randomised_response eps n : 0 <= eps -> (0 < n)%nat -> DP (fun _ _ => True) (seq 0 n) eps 0 (response eps n).
Proof.
  intros E N d d' _. apply close_of_ratio. intros o _. unfold response. pose proof (exp_ineq1_le eps).
  assert (1 <= INR n) by (replace 1 with (INR 1) by reflexivity; apply le_INR; lia).
  unfold Rdiv. rewrite <- Rmult_assoc. apply Rmult_le_compat_r. left; apply Rinv_0_lt_compat; lra.
  destruct (Nat.eqb d o), (Nat.eqb d' o); nra.
Qed.
(** Among all that is eps-private, two answers attain the largest Kullback-Leibler divergence. *)
Theorem response_attains_the_mean_loss eps : 0 < eps ->
  kl (seq 0 2) (response eps 2 0) (response eps 2 1) = eps * (exp eps - 1) / (exp eps + 1).
Proof.
  intros E. pose proof (exp_pos eps) as P. unfold kl, mean, response. simpl.
  replace (exp eps / (exp eps + (1 + 1) - 1) / (1 / (exp eps + (1 + 1) - 1))) with (exp eps) by (field; lra).
  replace (1 / (exp eps + (1 + 1) - 1) / (exp eps / (exp eps + (1 + 1) - 1))) with (/ exp eps) by (field; lra).
  rewrite ln_Rinv, ln_exp by auto. field. lra.
Qed.
