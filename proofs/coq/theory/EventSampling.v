(** * Samples of records and output spaces of any kind

    A mechanism gives each list of records a law on events (Events.v); what a sample of the records releases is the
    mixture over the samples.  Seen through finitely many outcomes it is the mixture of what is seen.

    Proved here, from the theorems on finite output spaces: amplification by Poisson sampling and by sampling without
    replacement; the pairs that dominate both (Zhu, Dong and Wang 2022, Theorem 11 and Proposition 30); mixtures with a
    common part. *)
From Coq Require Import Bool Arith Lia Permutation.
From Dpref Require Import Finite Interaction Approximate Dominance Convexity Cells Sampling Replacement Batches Events.

(** (A, B) dominates (P, Q): $P(S)\le e^\varepsilon Q(S)+H_\varepsilon(A,B)$ for every event and every $\varepsilon$. *)
Definition dominated_on {T X} (E : (T -> bool) -> Prop) (P Q : (T -> bool) -> R) (m : list X) A B :=
  forall eps, close_on E eps (hockey m eps A B) P Q.
Lemma dominated_is_seen {T X} (E : (T -> bool) -> Prop) P Q (m : list X) A B : algebra E -> law E P -> law E Q ->
  dominated_on E P Q m A B <-> forall n f, observation E n f -> dominated (seq 0 n) (seen P f) (seen Q f) m A B.
Proof.
  intros L LP LQ. split.
  - intros H n f O eps. apply hockey_is_delta. now apply (proj1 (close_on_is_seen E eps _ P Q L LP LQ) (H eps)).
  - intros H eps. apply (close_on_is_seen E); auto. intros n f O. apply hockey_is_delta. now apply H.
Qed.

Lemma law_mix {T} (E : (T -> bool) -> Prop) q P Q : 0 <= q <= 1 -> law E P -> law E Q -> law E (mix q P Q).
Proof.
  intros G (N & F & A & X) (N' & F' & A' & X'). unfold mix. split; [ | split; [ | split]].
  - intros S. specialize (N S). specialize (N' S). nra.
  - rewrite F, F'. ring.
  - intros S S' I I'. rewrite (A S S' I I'), (A' S S' I I'). ring.
  - intros S S' H. now rewrite (X S S' H), (X' S S' H).
Qed.
Lemma law_poisson {X T} (E : (T -> bool) -> Prop) q d : 0 <= q <= 1 -> forall M : list X -> (T -> bool) -> R,
  (forall s, law E (M s)) -> law E (poisson q M d).
Proof. intros G. induction d as [ | x d IH]; intros M L; simpl. apply L. apply law_mix; auto. Qed.
Lemma seen_poisson {X T} q f d : forall M : list X -> (T -> bool) -> R,
  seen (poisson q M d) f = poisson q (fun s => seen (M s) f) d.
Proof.
  induction d as [ | x d IH]; intros M; simpl. reflexivity.
  rewrite <- (IH (fun s => M (x :: s))), <- IH. reflexivity.
Qed.
Lemma seen_mechanism {X T} (E : (T -> bool) -> Prop) n f (M : list X -> (T -> bool) -> R) : algebra E ->
  observation E n f -> (forall s, law E (M s)) -> mechanism (seq 0 n) (fun s => seen (M s) f).
Proof. intros A O L s. now apply (seen_distribution E). Qed.

(** Poisson sampling: $(\varepsilon,\delta)$ becomes $(\ln(1+q(e^\varepsilon-1)),q\delta)$. *)
Theorem poisson_amplification_on {X T} (E : (T -> bool) -> Prop) q eps del (M : list X -> (T -> bool) -> R) :
  algebra E -> (forall s, law E (M s)) -> 0 <= q <= 1 -> 0 <= eps -> 0 <= del ->
  DP_on add_or_remove_one E eps del M -> DP_on add_or_remove_one E (amplified q eps) (q * del) (poisson q M).
Proof.
  intros A L G E0 D H d d' N. apply (close_on_is_seen E); try (apply law_poisson); auto. intros n f O.
  rewrite !seen_poisson.
  apply (poisson_amplification (seq 0 n) q eps del (fun s => seen (M s) f) G E0 D (seen_mechanism E n f M A O L)); auto.
  intros s s' K. now apply (proj1 (close_on_is_seen E eps del _ _ A (L s) (L s')) (H s s' K)).
Qed.
(** Mixtures with a common part (Balle, Barthe and Gaboardi 2018, Theorem 2), event by event. *)
Theorem advanced_joint_convexity_on {T} gamma y (P Q U : (T -> bool) -> R) S : 0 <= gamma -> 0 < y ->
  let y' := 1 + gamma * (y - 1) in
  mix gamma P U S - y' * mix gamma Q U S = gamma * (P S - y * mix (y' / y) Q U S).
Proof. intros G Y y'. unfold mix, y'. field. lra. Qed.
Theorem poisson_pair_removed_on {X T Y} (E : (T -> bool) -> Prop) q (M : list X -> (T -> bool) -> R) (m : list Y) A B :
  algebra E -> (forall s, law E (M s)) -> 0 <= q <= 1 -> distribution m A -> distribution m B ->
  (forall d d', remove_one d d' -> dominated_on E (M d) (M d') m A B) ->
  forall d d', remove_one d d' -> dominated_on E (poisson q M d) (poisson q M d') m (mix q A B) B.
Proof.
  intros L LM G PA PB H d d' N. apply (dominated_is_seen E); try (apply law_poisson); auto. intros n f O.
  rewrite !seen_poisson.
  apply (poisson_pair_removed (seq 0 n) q (fun s => seen (M s) f) m A B G (seen_mechanism E n f M L O LM)); auto.
  intros s s' K. now apply (proj1 (dominated_is_seen E (M s) (M s') m A B L (LM s) (LM s')) (H s s' K)).
Qed.
Theorem poisson_pair_added_on {X T Y} (E : (T -> bool) -> Prop) q (M : list X -> (T -> bool) -> R) (m : list Y) A B :
  algebra E -> (forall s, law E (M s)) -> 0 <= q <= 1 -> distribution m A -> distribution m B ->
  (forall d d', remove_one d d' -> dominated_on E (M d') (M d) m A B) ->
  forall d d', remove_one d d' -> dominated_on E (poisson q M d') (poisson q M d) m A (mix q B A).
Proof.
  intros L LM G PA PB H d d' N. apply (dominated_is_seen E); try (apply law_poisson); auto. intros n f O.
  rewrite !seen_poisson.
  apply (poisson_pair_added (seq 0 n) q (fun s => seen (M s) f) m A B G (seen_mechanism E n f M L O LM)); auto.
  intros s s' K. now apply (proj1 (dominated_is_seen E (M s') (M s) m A B L (LM s') (LM s)) (H s s' K)).
Qed.

(** ** Without replacement *)

Lemma law_sum {I T} (E : (T -> bool) -> Prop) (w : list I) (M : I -> (T -> bool) -> R) c : 0 < c ->
  sum_over w (fun _ => 1) = c -> (forall i, law E (M i)) -> law E (fun S => sum_over w (fun i => M i S) / c).
Proof.
  intros C W L. split; [ | split; [ | split]].
  - intros S. apply Rmult_le_pos. apply sum_nonneg. intros i _. apply L. left. now apply Rinv_0_lt_compat.
  - rewrite (sum_ext w _ (fun _ => 1)). rewrite W. field. lra. intros i _. apply L.
  - intros S S' I1 I2. unfold Rdiv. rewrite <- Rmult_plus_distr_r, <- sum_plus. f_equal. apply sum_ext.
    intros i _. now apply (L i).
  - intros S S' H. unfold Rdiv. f_equal. apply sum_ext. intros i _. now apply (L i).
Qed.
Lemma law_sampled {X T} (E : (T -> bool) -> Prop) k (M : list X -> (T -> bool) -> R) d : (k <= length d)%nat ->
  (forall s, law E (M s)) -> law E (sampled k M d).
Proof. intros H L. apply (law_sum E (samples k d) M (count k d)); auto. now apply count_pos. Qed.
Lemma same_length {X} n (d d' : list X) : replace_one_of n d d' -> length d = n /\ length d' = n.
Proof.
  intros [N (a & x & y & b & -> & ->)]. split; auto. rewrite <- N. rewrite !app_length. reflexivity.
Qed.
Theorem without_replacement_amplification_on {X T} (E : (T -> bool) -> Prop) m n eps del
    (M : list X -> (T -> bool) -> R) : algebra E -> (forall s, law E (M s)) -> (0 < m <= n)%nat -> 0 <= eps ->
  0 <= del -> (forall s s', Permutation s s' -> forall S, M s S = M s' S) -> DP_on replace_one E eps del M ->
  DP_on (replace_one_of n) E (amplified (INR m / INR n) eps) (INR m / INR n * del) (sampled m M).
Proof.
  intros A L R0 E0 D U H d d' N. destruct (same_length n d d' N).
  apply (close_on_is_seen E); try (apply law_sampled; [lia | auto]); auto. intros k f O.
  apply (without_replacement_amplification (seq 0 k) m n eps del (fun s => seen (M s) f) R0 E0 D
    (seen_mechanism E k f M A O L)); auto.
  - intros s s' K o. apply U, K.
  - intros s s' K. now apply (proj1 (close_on_is_seen E eps del _ _ A (L s) (L s')) (H s s' K)).
Qed.
Theorem batch_pair_on {X T Y} (E : (T -> bool) -> Prop) k n (M : list X -> (T -> bool) -> R) (m : list Y) A B :
  algebra E -> (forall s, law E (M s)) -> (0 < k <= n)%nat ->
  (forall s s', Permutation s s' -> forall S, M s S = M s' S) -> distribution m A -> distribution m B ->
  (forall d d', replace_one d d' -> dominated_on E (M d) (M d') m A B) ->
  forall d d' eps, replace_one_of n d d' ->
  (0 <= eps -> close_on E eps (hockey m eps (mix (INR k / INR n) A B) B) (sampled k M d) (sampled k M d'))
  /\ (eps <= 0 -> close_on E eps (hockey m eps A (mix (INR k / INR n) B A)) (sampled k M d) (sampled k M d')).
Proof.
  intros L LM K U PA PB H d d' eps N. destruct (same_length n d d' N).
  assert (V : forall j f, observation E j f -> forall s s', replace_one s s' ->
    dominated (seq 0 j) (seen (M s) f) (seen (M s') f) m A B).
  { intros j f O s s' R1. now apply (proj1 (dominated_is_seen E (M s) (M s') m A B L (LM s) (LM s')) (H s s' R1)). }
  split; intros E0; apply (close_on_is_seen E); try (apply law_sampled; [lia | auto]); auto;
    intros j f O; apply hockey_is_delta.
  - apply (batch_pair_above (seq 0 j) k n (fun s => seen (M s) f) m A B K (seen_mechanism E j f M L O LM)); auto.
    intros s s' R1 o. apply U, R1.
  - apply (batch_pair_below (seq 0 j) k n (fun s => seen (M s) f) m A B K (seen_mechanism E j f M L O LM)); auto.
    intros s s' R1 o. apply U, R1.
Qed.
