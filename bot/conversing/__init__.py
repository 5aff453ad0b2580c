"""What is said becomes a reply or silence: who is answered, about which repositories, and where."""
