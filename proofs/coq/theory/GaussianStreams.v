(** * Streams that adapt: noise of a matrix on answers whose queries depend on earlier answers

    A stream is released as numbers with independent normal noise (the rows of a matrix times the stream, one coordinate
    after the other); later queries may depend on all that was released.  On two neighbouring streams and along every
    sequence of answers the moves, in units of the noise, have squares that add up to B at most.  How they are spread
    over the answers may depend on the answers.

    Proved here: the answers have at most the privacy curve of one Gaussian answer that moves by $\sqrt B$, as those of
    a stream that is fixed in advance (Denisov and others 2022, Theorem 2.1).  Densities and curves are those of
    GaussianComposition.v. *)
From Coq Require Import Reals Lra List.
From Coquelicot Require Import Coquelicot.
From Dpref Require Import Improper Density Erfc Gaussian GaussianCurve Vectors GaussianVector GaussianAverage
  GaussianVectorCurve GaussianComposition.
Import ListNotations.
Open Scope R_scope.

(** Along every sequence of k more answers the squares of the moves, in units of the noise, add up to B at most. *)
Fixpoint moves_within (k : nat) (f f' s : list R -> R) (past : list R) (B : R) : Prop :=
  match k with
  | O => 0 <= B
  | S k => forall x, moves_within k f f' s (x :: past) (B - ((f past - f' past) / s past) ^ 2)
  end.
Lemma moves_within_pos k f f' s : forall past B, moves_within k f f' s past B -> 0 <= B.
Proof.
  induction k as [ | k IH]; simpl; intros past B H; auto. pose proof (IH _ _ (H 0)).
  pose proof (pow2_ge_0 ((f past - f' past) / s past)). simpl in *. lra.
Qed.
Theorem streams_that_adapt f f' s : (forall past, 0 < s past) -> forall k past B, moves_within k f f' s past B ->
  gaussian_close k (sqrt B) (answers k f s past) (answers k f' s past).
Proof.
  intros S. induction k as [ | k IH]; intros past B H.
  - intros eps E P Q HP HQ. pose proof (gaussian_close_none (answers 0 f s past) eq_refl eps E P Q HP HQ) as C.
    pose proof (gaussian_profile_increasing eps 0 (sqrt B) ltac:(lra) (sqrt_pos B)). lra.
  - set (m := Rabs (f past - f' past) / s past). pose proof (S past) as S0.
    assert (M : ((f past - f' past) / s past) ^ 2 = m * m).
    { unfold m. replace (Rabs (f past - f' past) / s past * (Rabs (f past - f' past) / s past))
        with (Rabs (f past - f' past) * Rabs (f past - f' past) / (s past * s past)) by (field; lra).
      replace (Rabs (f past - f' past) * Rabs (f past - f' past)) with (Rsqr (Rabs (f past - f' past))) by reflexivity.
      rewrite <- Rsqr_abs. unfold Rsqr. field. lra. }
    assert (B0 : 0 <= B - m * m) by (rewrite <- M; exact (moves_within_pos k f f' s _ _ (H 0))).
    replace (sqrt B) with (sqrt (m * m + sqrt (B - m * m) * sqrt (B - m * m))).
    2: { rewrite sqrt_sqrt by auto. f_equal. ring. }
    apply (gaussian_close_adaptive k (f past) (f' past) (s past) m (sqrt (B - m * m))
      (fun x => answers k f s (x :: past)) (fun x => answers k f' s (x :: past))); auto.
    + right. unfold m. field. lra.
    + apply sqrt_pos.
    + intros x. apply IH. rewrite <- M. apply H.
Qed.
(** Privacy of a stream that adapts, at the curve of one answer. *)
Theorem adaptive_stream_DP {D} (adj : D -> D -> Prop) (f : D -> list R -> R) s k B eps del :
  (forall past, 0 < s past) ->
  (forall d d', adj d d' -> moves_within k (f d) (f d') s [] B) -> gaussian_profile eps (sqrt B) <= del ->
  vector_DP adj k eps del (fun d => answers k (f d) s []).
Proof.
  intros S M L d d' A E P Q HP HQ. pose proof (streams_that_adapt (f d) (f d') s S k [] B (M d d' A) eps E P Q HP HQ).
  lra.
Qed.
