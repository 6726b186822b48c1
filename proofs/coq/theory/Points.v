(* Signs of numbers, and of formulas on boxes, by the interval arithmetic of coq-interval. *)
From Dpref Require Export Induction.
Open Scope R_scope.

(* erfc at a point: its integral enclosed *)
Ltac enclose_erfc := unfold erfc; repeat match goal with |- context [RInt ?f ?a ?b] =>
    let H := fresh in let r := fresh in
    integral_intro (RInt f a b) with (i_relwidth 30, i_prec 60) as H; set (r := RInt f a b) in *; clearbody r end.
Ltac number := first [lra | interval with (i_prec 60) | interval with (i_prec 200) | enclose_erfc; interval with (i_prec 80)].
Ltac at_point := unfold Rpower; rewrite ?tanh_exp; lazymatch goal with
  | |- _ <> 0 => first [lra | apply Rgt_not_eq; unfold Rgt; number | apply Rlt_not_eq; number]
  | |- _ => number end.
