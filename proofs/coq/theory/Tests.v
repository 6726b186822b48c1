(** * Tests between neighbours, and trade-off functions

    A test rejects an output with a probability; its first error is what it rejects under q, its second what it accepts
    under p.

    Proved here: the region of errors that (eps, del)-differential privacy allows, in both directions (Wasserman and Zhou
    2010); what one test says of delta, and that one test says all; no test of a size has more power than one that
    follows the ratio (Neyman and Pearson 1933). *)
From Dpref Require Import Finite Interaction Approximate Dominance.

Definition test {O} (g : O -> R) := forall o, 0 <= g o <= 1.
Definition rejects {O} (l : list O) (p g : O -> R) := sum_over l (fun o => p o * g o).
Definition first_error {O} (l : list O) (q g : O -> R) := rejects l q g.
Definition second_error {O} (l : list O) (p g : O -> R) := 1 - rejects l p g.

Lemma rejects_rest {O} (l : list O) p g : rejects l p (fun o => 1 - g o) = sum_over l p - rejects l p g.
Proof. unfold rejects. rewrite <- sum_minus. apply sum_ext. intros. ring. Qed.
(** The two lines of the trade-off function of (eps, del)-differential privacy, and zero. *)
Definition dp_trade_off eps del a := Rmax 0 (Rmax (1 - del - exp eps * a) (exp (- eps) * (1 - del - a))).
Theorem dp_region {O} (l : list O) eps del p q g : distribution l p -> distribution l q -> test g ->
  close l eps del p q -> close l eps del q p -> dp_trade_off eps del (first_error l q g) <= second_error l p g.
Proof.
  intros [P Sp] [Q Sq] G C C'. pose proof (close_tests l eps del p q g C G) as U.
  assert (V : rejects l q (fun o => 1 - g o) <= exp eps * rejects l p (fun o => 1 - g o) + del).
  { apply close_tests; auto. intros o. specialize (G o). lra. }
  rewrite !rejects_rest, Sp, Sq in V. fold (rejects l p g) (rejects l q g) in U. unfold dp_trade_off, first_error, second_error.
  assert (I : exp (- eps) * exp eps = 1) by (rewrite <- exp_plus, Rplus_opp_l; apply exp_0). pose proof (exp_pos (- eps)) as J.
  assert (exp (- eps) * (1 - del - rejects l q g) <= exp (- eps) * (exp eps * (1 - rejects l p g))) as H0.
  { apply Rmult_le_compat_l; lra. } rewrite <- Rmult_assoc, I in H0.
  repeat apply Rmax_lub; [ | lra | lra]. unfold rejects. enough (sum_over l (fun o => p o * g o) <= sum_over l p) by lra.
  apply sum_le. intros o _. specialize (G o). pose proof (P o). nra.
Qed.
(** The region is all that the guarantee says: a pair whose tests have no smaller errors is (eps, del)-close. *)
Theorem dp_region_converse {O} (l : list O) eps del p q :
  (forall g, test g -> dp_trade_off eps del (first_error l q g) <= second_error l p g) -> close l eps del p q.
Proof.
  intros H E. specialize (H (fun o => if E o then 1 else 0)). unfold dp_trade_off, first_error, second_error, rejects in H.
  assert (K : forall p : O -> R, sum_over l (fun o => p o * (if E o then 1 else 0)) = prob l p E).
  { intros r. apply sum_ext. intros o _. destruct (E o); lra. }
  rewrite !K in H. assert (T : test (fun o => if E o then 1 else 0)) by (intros o; destruct (E o); lra).
  specialize (H T). pose proof (Rmax_r 0 (Rmax (1 - del - exp eps * prob l q E) (exp (- eps) * (1 - del - prob l q E)))).
  pose proof (Rmax_l (1 - del - exp eps * prob l q E) (exp (- eps) * (1 - del - prob l q E))). lra.
Qed.
(** What a test with errors a and b says: del >= 1 - b - exp(eps) a; the event of a ratio above exp(eps) says all. *)
Definition says {O} (l : list O) eps (p q g : O -> R) := 1 - second_error l p g - exp eps * first_error l q g.
Theorem test_says_delta {O} (l : list O) eps p q g : test g -> says l eps p q g <= hockey l eps p q.
Proof.
  intros G. unfold says, second_error, first_error. pose proof (proj2 (hockey_is_delta l eps _ p q) (Rle_refl _)) as C.
  pose proof (close_tests l eps _ p q g C G). unfold rejects. lra.
Qed.
Theorem best_test_says_delta {O} (l : list O) eps p q :
  says l eps p q (fun o => if above eps p q o then 1 else 0) = hockey l eps p q.
Proof.
  rewrite hockey_attained. unfold says, second_error, first_error, rejects.
  assert (K : forall p : O -> R, forall E : O -> bool, sum_over l (fun o => p o * (if E o then 1 else 0)) = prob l p E).
  { intros r E. apply sum_ext. intros o _. destruct (E o); lra. }
  rewrite !K. ring.
Qed.
(** A test that rejects where p > k q and accepts where p < k q has the most power of all tests of its size. *)
Theorem neyman_pearson {O} (l : list O) k (p q best g : O -> R) : 0 <= k -> test best -> test g ->
  (forall o, k * q o < p o -> best o = 1) -> (forall o, p o < k * q o -> best o = 0) ->
  first_error l q g <= first_error l q best -> second_error l p best <= second_error l p g.
Proof.
  intros K B G Up Down H. unfold first_error, second_error, rejects in *.
  enough (0 <= sum_over l (fun o => p o * best o - p o * g o - k * (q o * best o - q o * g o))) as S.
  { rewrite sum_minus, sum_minus, sum_scal, sum_minus in S. nra. }
  apply sum_nonneg. intros o _. specialize (B o). specialize (G o).
  replace (p o * best o - p o * g o - k * (q o * best o - q o * g o)) with ((p o - k * q o) * (best o - g o)) by ring.
  destruct (Rtotal_order (k * q o) (p o)) as [h | [h | h]].
  - rewrite (Up o h). apply Rmult_le_pos; lra.
  - rewrite h, Rminus_diag_eq by reflexivity. lra.
  - rewrite (Down o) by lra. nra.
Qed.
