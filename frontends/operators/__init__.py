"""What passes of several folders need: no pass lives here, and nothing here imports one."""
