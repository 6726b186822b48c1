(** * Arithmetic of doubles: a result is off by a relative error of at most u

    A double is a number with 53 binary digits and an exponent from -1074; a sum, product or quotient is rounded to
    the nearest double, ties to even (IEEE 754, as Flocq states it).  Overflow is not part of the model.

    Proved here: a sum of doubles is off by a relative error of at most u = 2^-53, whatever its size; so is any other
    result, of a product or a quotient, that is not below 2^-1022. *)
From Coq Require Import Reals ZArith Lra.
From Flocq.Core Require Import Core.
From Flocq.Prop Require Import Relative Plus_error.
Open Scope R_scope.

(** x is a double. *)
Definition double (x : R) : Prop := generic_format radix2 (FLT_exp (-1074) 53) x.
(** The double that is nearest to x; of two, the even one. *)
Definition nearest (x : R) : R := round radix2 (FLT_exp (-1074) 53) ZnearestE x.
Definition unit_roundoff : R := / 2 ^ 53.
(** What is computed for x is $x(1+e)$ with $|e|\le u$. *)
Definition rounded_well (x : R) : Prop := exists e, Rabs e <= unit_roundoff /\ nearest x = x * (1 + e).

Local Instance precision : Prec_gt_0 53 := eq_refl.
Lemma unit_is : u_ro radix2 53 = unit_roundoff.
Proof. unfold u_ro, unit_roundoff. simpl. lra. Qed.
(** Any result that is not below 2^-1022. *)
Theorem rounded_result (x : R) : bpow radix2 (-1022) <= Rabs x -> rounded_well x.
Proof.
  intros H. destruct (relative_error_N_FLT_ex radix2 (-1074) 53 ltac:(easy) (fun n => negb (Z.even n)) x H) as (e &
    B & E).
  exists e. split. rewrite <- unit_is. exact B. exact E.
Qed.
(** A sum of doubles, whatever its size; a difference is the sum with what is negated. *)
Theorem rounded_sum (x y : R) : double x -> double y -> rounded_well (x + y).
Proof.
  intros X Y. destruct (FLT_plus_error_N_ex radix2 (-1074) 53 (fun n => negb (Z.even n)) x y X Y) as (e & B & E).
  exists e. split; [ | exact E]. rewrite unit_is in B. eapply Rle_trans. apply B. unfold unit_roundoff.
  apply (Rmult_le_reg_r (1 + / 2 ^ 53)). lra. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.
