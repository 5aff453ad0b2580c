"""Deliveries: plan, claim, send, record, and reconcile what nobody knows the outcome of."""
