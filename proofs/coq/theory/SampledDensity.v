(* Amplification by sampling for densities, in exact form.  With probability g the record is used and the output has
   density p, otherwise q: the mixture.  One statement about p and q is equivalent to one about the mixture and q, with
   delta scaled: so the curve of a sampled Gaussian answer is the Gaussian's at another epsilon.  Proved once for every
   notion of probability that is linear in the density, and used for the line and for vectors. *)
From Coq Require Import Reals Lra List.
From Coquelicot Require Import Coquelicot.
From Dpref Require Import Improper Density Erfc Gaussian GaussianCurve Vectors GaussianVector GaussianVectorCurve.
Open Scope R_scope.

Definition mixture {O} (g : R) (p q : O -> R) (x : O) : R := g * p x + (1 - g) * q x.

Section Sampling.
  Context {O : Type}.
  Variable prob : (O -> R) -> (O -> bool) -> R -> Prop.
  Hypothesis linear : forall S p q P Q a b, prob p S P -> prob q S Q ->
    prob (fun x => a * p x + b * q x) S (a * P + b * Q).
  Hypothesis same : forall S p q P, (forall x, p x = q x) -> prob p S P -> prob q S P.
  Let close eps del p q := forall S P Q, prob p S P -> prob q S Q -> P <= exp eps * Q + del.

  Lemma unmixed g p q S M Q : 0 < g -> prob (mixture g p q) S M -> prob q S Q -> prob p S ((M - (1 - g) * Q) / g).
  Proof.
    intros G HM HQ. pose proof (linear S _ _ M Q (/ g) (- ((1 - g) / g)) HM HQ) as H.
    replace ((M - (1 - g) * Q) / g) with (/ g * M + - ((1 - g) / g) * Q) by (field; lra).
    apply (same S _ p) in H; auto. intros x. unfold mixture. field. lra.
  Qed.
  (* the record is in the first data set *)
  Lemma sampled_first g eps eps' del p q : 0 < g -> exp eps' = 1 + g * (exp eps - 1) ->
    close eps' (g * del) (mixture g p q) q <-> close eps del p q.
  Proof.
    intros G E. split; intros H S P Q HP HQ.
    - pose proof (H S _ _ (linear S p q P Q g (1 - g) HP HQ) HQ) as C. rewrite E in C.
      apply (Rmult_le_reg_l g); auto. lra.
    - pose proof (H S _ _ (unmixed g p q S P Q G HP HQ) HQ) as C. rewrite E.
      apply (Rmult_le_compat_l g) in C; [ | lra].
      replace (g * ((P - (1 - g) * Q) / g)) with (P - (1 - g) * Q) in C by (field; lra). lra.
  Qed.
  (* the record is in the second data set *)
  Lemma sampled_second g eps eps' del p q (c := 1 - exp eps' * (1 - g)) : 0 < g -> 0 < c ->
    exp eps * c = exp eps' * g -> close eps' (c * del) q (mixture g p q) <-> close eps del q p.
  Proof.
    intros G C0 E. split; intros H S Q P HQ HP.
    - pose proof (H S _ _ HQ (linear S p q P Q g (1 - g) HP HQ)) as C.
      apply (Rmult_le_reg_l c); auto.
      replace (c * (exp eps * P + del)) with (exp eps * c * P + c * del) by ring. rewrite E. unfold c in *. lra.
    - pose proof (H S _ _ HQ (unmixed g p q S P Q G HP HQ)) as C. apply (Rmult_le_compat_l c) in C; [ | lra].
      replace (c * (exp eps * ((P - (1 - g) * Q) / g) + del))
        with (exp eps * c * ((P - (1 - g) * Q) / g) + c * del) in C by ring.
      rewrite E in C.
      replace (exp eps' * g * ((P - (1 - g) * Q) / g)) with (exp eps' * (P - (1 - g) * Q)) in C by (field; lra).
      unfold c in *. lra.
  Qed.
  Lemma sampled_second_free g eps' p q : 0 < g -> 1 <= exp eps' * (1 - g) ->
    (forall S P, prob p S P -> 0 <= P) -> (forall S Q, prob q S Q -> 0 <= Q) -> close eps' 0 q (mixture g p q).
  Proof.
    intros G C N M S Q P HQ HP. pose proof (N S _ (unmixed g p q S P Q G HP HQ)) as K. pose proof (M S Q HQ) as L.
    apply (Rmult_le_compat_l g) in K; [ | lra].
    replace (g * ((P - (1 - g) * Q) / g)) with (P - (1 - g) * Q) in K by (field; lra).
    pose proof (exp_pos eps') as X. pose proof (Rmult_le_compat_l (exp eps') _ _ (Rlt_le _ _ X) K).
    pose proof (Rmult_le_compat_r Q _ _ L C). lra.
  Qed.
End Sampling.

(* ---------- the line and vectors ---------- *)
Lemma probability_linear S p q P Q a b : probability p S P -> probability q S Q ->
  probability (fun x => a * p x + b * q x) S (a * P + b * Q).
Proof.
  intros HP HQ. pose proof (integral_plus _ _ _ _ (integral_scal _ a _ HP) (integral_scal _ b _ HQ)) as H.
  revert H. apply integral_ext. intros x. unfold restricted. destruct (S x); ring.
Qed.
Lemma probability_same S p q P : (forall x, p x = q x) -> probability p S P -> probability q S P.
Proof. intros E. apply integral_ext. intros x. unfold restricted. now rewrite E. Qed.
Lemma vector_probability_linear n S p q P Q a b : vector_probability n p S P -> vector_probability n q S Q ->
  vector_probability n (fun x => a * p x + b * q x) S (a * P + b * Q).
Proof.
  intros HP HQ. pose proof (iterated_plus n _ _ _ _ (iterated_scal n a _ _ HP) (iterated_scal n b _ _ HQ)) as H.
  revert H. apply iterated_ext. intros x _. unfold vector_restricted. destruct (S x); ring.
Qed.
Lemma vector_probability_same n S p q P : (forall x, p x = q x) -> vector_probability n p S P ->
  vector_probability n q S P.
Proof. intros E. apply iterated_ext. intros x _. unfold vector_restricted. now rewrite E. Qed.

Theorem line_sampled_first g eps eps' del p q : 0 < g -> exp eps' = 1 + g * (exp eps - 1) ->
  line_close eps' (g * del) (mixture g p q) q <-> line_close eps del p q.
Proof. exact (sampled_first probability probability_linear probability_same g eps eps' del p q). Qed.
Theorem line_sampled_second g eps eps' del p q : 0 < g -> 0 < 1 - exp eps' * (1 - g) ->
  exp eps * (1 - exp eps' * (1 - g)) = exp eps' * g ->
  line_close eps' ((1 - exp eps' * (1 - g)) * del) q (mixture g p q) <-> line_close eps del q p.
Proof. exact (sampled_second probability probability_linear probability_same g eps eps' del p q). Qed.
Theorem vector_sampled_first n g eps eps' del p q : 0 < g -> exp eps' = 1 + g * (exp eps - 1) ->
  vector_close n eps' (g * del) (mixture g p q) q <-> vector_close n eps del p q.
Proof.
  exact (sampled_first (vector_probability n) (vector_probability_linear n) (vector_probability_same n) g eps eps'
    del p q).
Qed.
Theorem vector_sampled_second n g eps eps' del p q : 0 < g -> 0 < 1 - exp eps' * (1 - g) ->
  exp eps * (1 - exp eps' * (1 - g)) = exp eps' * g ->
  vector_close n eps' ((1 - exp eps' * (1 - g)) * del) q (mixture g p q) <-> vector_close n eps del q p.
Proof.
  exact (sampled_second (vector_probability n) (vector_probability_linear n) (vector_probability_same n) g eps eps'
    del p q).
Qed.

(* ---------- the sampled Gaussian ---------- *)
(* one answer to a sample, against the data set without the record: its exact curve *)
Theorem sampled_gaussian_close_iff g eps eps' del mu nu s : 0 < g -> exp eps' = 1 + g * (exp eps - 1) ->
  0 < s -> mu <> nu -> line_close eps' (g * del) (mixture g (normal mu s) (normal nu s)) (normal nu s)
  <-> gaussian_delta eps (Rabs (mu - nu) / s) <= del.
Proof. intros G E S N. rewrite (line_sampled_first g eps eps' del); auto. now apply normal_close_iff. Qed.
Theorem sampled_vector_gaussian_close_iff g eps eps' del s mus nus : 0 < g -> exp eps' = 1 + g * (exp eps - 1) ->
  0 < s -> length nus = length mus -> 0 < squared_distance mus nus ->
  vector_close (length mus) eps' (g * del) (mixture g (vector_normal mus s) (vector_normal nus s)) (vector_normal nus s)
  <-> gaussian_delta eps (sqrt (squared_distance mus nus) / s) <= del.
Proof. intros G E S L N. rewrite (vector_sampled_first _ g eps eps' del); auto. now apply vector_normal_close_iff. Qed.
