(* Signs of numbers, and of formulas on boxes, by the interval arithmetic of coq-interval. *)
From Dpref Require Export Induction.
Open Scope R_scope.

(* erfc at a point: its integral enclosed *)
Ltac enclose_erfc := unfold erfc; repeat match goal with |- context [RInt ?f ?a ?b] =>
    let H := fresh in let r := fresh in
    integral_intro (RInt f a b) with (i_relwidth 30, i_prec 60) as H; set (r := RInt f a b) in *; clearbody r end.
(* erfc far from zero: between the two bounds of Mills *)
Lemma erfc_mills y : 1 <= y ->
  exp (- (y * y)) * (2 * y / (2 * (y * y) + 1)) / sqrt PI <= erfc y <= exp (- (y * y)) / (sqrt PI * y).
Proof. intros. split. apply erfc_mills_lower; lra. apply erfc_mills_upper; lra. Qed.
Ltac enclose_far := repeat match goal with |- context [erfc ?y] =>
    let H := fresh in let r := fresh in
    first [ assert (H : 1 <= y) by (interval with (i_prec 60)); apply erfc_mills in H
          | assert (H : 1 <= - y) by (interval with (i_prec 60)); apply erfc_mills in H; rewrite (erfc_flip y (- y)) by ring ];
    match type of H with _ <= erfc ?z <= _ => set (r := erfc z) in *; clearbody r end end.
Ltac bounds_of_far := repeat match goal with H : ?a <= ?r <= ?b |- _ => is_var r;
    let A := fresh in let B := fresh in
    interval_intro a lower with (i_prec 120) as A; interval_intro b upper with (i_prec 120) as B;
    let C := fresh in assert (C := conj (Rle_trans _ _ _ A (proj1 H)) (Rle_trans _ _ _ (proj2 H) B)); clear H A B;
    revert C end; intros.
Ltac number := first [lra | interval with (i_prec 60) | interval with (i_prec 200)
  | enclose_erfc; interval with (i_prec 80) | enclose_far; bounds_of_far; enclose_erfc; interval with (i_prec 120)].
Ltac at_point := unfold Rpower; rewrite ?tanh_exp; lazymatch goal with
  | |- _ <> 0 => first [lra | apply Rgt_not_eq; unfold Rgt; number | apply Rlt_not_eq; number]
  | |- _ => number end.
